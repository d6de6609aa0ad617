// Finds the columns of targets in a table for `ptprun predict`, so that the predictions can be
// scored. They are those of the outputs that a task, by its declaration, does not write for samples
// without targets.
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::pipeline {

namespace {

using Strings = std::vector<std::string>;

// The rows of a table as RFC 4180 has them. What breaks its rules is the task's to report.
class Rows {
public:
    Rows(std::string_view text, char separator) : text_(text), separator_(separator) {
        at_ = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    }

    // Reads the cells of the next row that is not blank; returns false after the last.
    bool next(Strings& cells) {
        do {
            cells.clear();
            ++number_;
            bool has_more = at_ < text_.size();
            while (has_more) {
                cells.push_back(cell());
                has_more = at_ < text_.size() && text_[at_] == separator_;
                at_ += has_more ? 1 : 0;
            }
            at_ = std::min(text_.find('\n', at_), text_.size());
            at_ += at_ < text_.size() ? 1 : 0;
        } while (cells.size() == 1 && cells.front().empty() && at_ < text_.size());
        return !cells.empty();
    }

    [[nodiscard]] std::size_t number() const { return number_; }

private:
    std::string cell() {
        std::string cell;
        if (at_ < text_.size() && text_[at_] == '"') {
            for (++at_; at_ < text_.size(); ++at_) {
                const bool is_quote = text_[at_] == '"';
                if (is_quote && (at_ + 1 >= text_.size() || text_[++at_] != '"')) {
                    break;
                }
                cell += text_[at_];
            }
            return cell;
        }
        const std::size_t end =
            std::min(text_.find_first_of(std::string("\n") + separator_, at_), text_.size());
        cell = std::string(text_.substr(at_, end - at_));
        at_ = end;
        return cell.ends_with('\r') ? cell.substr(0, cell.size() - 1) : cell;
    }

    std::string_view text_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t number_ = 0;  // of the row, from 1
};

// A column of targets: the setting that names it, and the classes that the training knows.
struct TargetColumn {
    std::string name;
    bool is_class = false;  // or a number
    Strings classes = {};   // in the order of their numbers; empty: not known
};

bool names_setting(const std::string& when, const std::string& setting) {
    return !when.empty() && std::ranges::any_of(parse_condition(when).terms, [&](const Term& term) {
        return term.setting == setting;
    });
}

Strings strings_in(const Value* value) {
    if (value == nullptr || !value->is_list()) {
        return value != nullptr && value->is_string() ? Strings{value->as_string()} : Strings();
    }
    Strings strings;
    for (const Value& item : value->items()) {
        if (item.is_string()) {
            strings.push_back(item.as_string());
        }
    }
    return strings;
}

// Returns the names in a table from classes to their numbers, in the order of these.
Strings names_in(const Value* mapping) {
    Strings in_order;
    if (mapping == nullptr || !mapping->is_table()) {
        return in_order;
    }
    std::map<std::int64_t, std::string> names;
    for (const Member& one : mapping->members()) {
        if (one.value.is_integer()) {
            names.emplace(one.value.as_integer(), one.key);
        }
    }
    for (const auto& [number, name] : names) {
        in_order.push_back(name);
    }
    return in_order;
}

class Targets {
public:
    Targets(experiment::TaskEntry& task, const plugin::Component& component,
            const plugin::Setting& unlabeled, const Value& recorded)
        : task_(task), component_(component), unlabeled_(unlabeled) {
        for (const plugin::Port& port : component.ports) {
            find(port.when, nullptr);
        }
        for (const plugin::Global& global : component.globals) {
            const auto named =
                std::ranges::find(task.names.globals, global.name, &experiment::Renaming::from);
            const Strings classes = names_in(
                recorded.find(named == task.names.globals.end() ? global.name : named->to));
            find(global.when, &classes);
        }
    }

    // Returns why the table cannot be scored, or "".
    [[nodiscard]] std::string problem(const std::string& text, char separator) const {
        if (columns_.empty()) {
            return "the task has no column of targets";
        }
        Rows rows(text, separator);
        Strings header;
        rows.next(header);
        std::vector<std::pair<std::size_t, const TargetColumn*>> places;
        for (const TargetColumn& column : columns_) {
            const auto found = std::ranges::find(header, column.name);
            if (found == header.end()) {
                return fmt::format("the table has no column '{}'", column.name);
            }
            places.emplace_back(found - header.begin(), &column);
        }
        for (Strings cells; rows.next(cells);) {
            for (const auto& [place, column] : places) {
                const std::string cell = place < cells.size() ? cells[place] : "";
                if (const std::string wrong = wrong_cell(*column, cell); !wrong.empty()) {
                    return fmt::format(
                        "row {} has '{}' as '{}', which is {}; remove such rows to "
                        "score the others",
                        rows.number(), cell, column->name, wrong);
                }
            }
        }
        return "";
    }

    // Makes the task read the table as it reads the training's.
    void use(const Value& file) {
        for (const plugin::Setting& setting : component_.settings) {
            const bool is_source = setting.type == plugin::SettingType::kPath &&
                                   !setting.takes_unlabeled && !setting.obtain.empty();
            if (is_source) {
                task_.settings.set(setting.name, file);
            } else if (setting.takes_unlabeled) {
                task_.settings.erase(setting.name);
            } else if (is_switch(setting) && task_.settings.find(setting.name) != nullptr) {
                task_.settings.erase(setting.name);
                forget_globals_of(setting);
            }
        }
        for (const TargetColumn& column : columns_) {
            if (!column.classes.empty()) {
                std::vector<Value> names(column.classes.begin(), column.classes.end());
                task_.settings.set("classes", Value::list(std::move(names)).at(file.place()));
            }
        }
    }

private:
    // Adds the columns of a port's condition, or with `classes` of a global's: these are classes.
    void find(const std::string& when, const Strings* classes) {
        if (!is_gone(when, unlabeled_)) {
            return;
        }
        for (const Term& term : parse_condition(when).terms) {
            if (term.is_negated || is_input(term.setting)) {
                continue;
            }
            for (const std::string& name : strings_in(task_.settings.find(term.setting))) {
                TargetColumn* known = find_named(columns_, name);
                if (known == nullptr) {
                    known = &columns_.emplace_back(TargetColumn{.name = name});
                }
                known->is_class = known->is_class || classes != nullptr;
                if (classes != nullptr && !classes->empty()) {
                    known->classes = *classes;
                }
            }
        }
    }

    // Returns whether the setting names columns that unlabeled samples have, too.
    [[nodiscard]] bool is_input(const std::string& setting) const {
        return std::ranges::any_of(component_.ports, [&](const plugin::Port& port) {
            return !is_gone(port.when, unlabeled_) && names_setting(port.when, setting);
        });
    }

    // Returns whether it makes the task publish what the training alone publishes, its words.
    [[nodiscard]] bool is_switch(const plugin::Setting& setting) const {
        return setting.type == plugin::SettingType::kBoolean &&
               std::ranges::any_of(component_.globals, [&](const plugin::Global& global) {
                   return is_gone(global.when, unlabeled_) &&
                          names_setting(global.when, setting.name);
               });
    }

    void forget_globals_of(const plugin::Setting& setting) {
        std::erase_if(task_.names.globals, [&](const experiment::Renaming& renaming) {
            return std::ranges::any_of(component_.globals, [&](const plugin::Global& global) {
                return global.name == renaming.from && names_setting(global.when, setting.name);
            });
        });
    }

    static std::string wrong_cell(const TargetColumn& column, const std::string& cell) {
        const Strings& classes = column.classes;
        if (column.is_class && !cell.empty()) {
            const bool is_known = classes.empty() || contains(classes, cell);
            return is_known ? "" : "not a class of the training (" + join(classes, ", ") + ")";
        }
        std::string_view number = trimmed(cell);
        number.remove_prefix(number.starts_with('+') ? 1 : 0);
        double value = 0;
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), value);
        const bool is_number = error == std::errc() && end == number.data() + number.size();
        return is_number ? "" : column.is_class ? "not a class" : "not a number";
    }

    experiment::TaskEntry& task_;
    const plugin::Component& component_;
    const plugin::Setting& unlabeled_;
    std::vector<TargetColumn> columns_;
};

char separator_of(const experiment::TaskEntry& task, const std::filesystem::path& file) {
    const Strings named = strings_in(task.settings.find("separator"));
    if (named.empty()) {
        return file.extension() == ".tsv" ? '\t' : ',';
    }
    return named.front() == "comma" ? ',' : named.front() == "tab" ? '\t' : ';';
}

}  // namespace

std::string give_table(experiment::Section& section, const std::filesystem::path& file,
                       const Value& recorded, const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    const plugin::Setting* unlabeled =
        component != nullptr ? unlabeled_setting(*component) : nullptr;
    if (unlabeled == nullptr || !reads_table(section, catalog)) {
        return "the task reads no table";
    }
    Targets targets(section.task, *component, *unlabeled, recorded);
    std::string problem = targets.problem(read_text(file), separator_of(section.task, file));
    if (problem.empty()) {
        targets.use(
            Value(std::filesystem::absolute(file).string()).at(SourceLocation("--data", 0, 0)));
        section.sampler.reset();
        section.batch_limit.reset();
    }
    return problem;
}

}  // namespace ptp::pipeline
