// Finds the targets in data for `ptprun predict`, so that the predictions can be scored: columns of
// a table, those of the outputs that a task, by its declaration, does not write for samples without
// targets; or folders with the names of classes.

#include "base/output_file.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/table_rows.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::pipeline {

namespace {

namespace fs = std::filesystem;

// The choice of PTP_PURPOSE_UNLISTED_ROWS with which rows of other classes have no target.
constexpr const char* kUncounted = "uncounted";

// A column of targets: the setting that names it, and the classes that the training knows.
struct TargetColumn {
    std::string name;
    bool is_class = false;      // or a number
    bool is_list = false;       // a cell has several classes
    bool is_yes_or_no = false;  // the task has no number for a row of another class
    Strings classes = {};       // in the order of their numbers; empty: not known
};

// Returns the recorded classes of a global, in the order of their numbers; empty: not known.
Strings classes_of(const experiment::TaskEntry& task, const plugin::Global& global,
                   const Value& recorded) {
    const Value* mapping = recorded_global(task, global, recorded);
    return mapping == nullptr ? Strings() : class_names_in(*mapping).value_or(Strings());
}

// Returns whether the folder has a file with the ending of this one.
bool has_alike(const fs::path& folder, const fs::path& file) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (folded(it->path().extension().string()) == folded(file.extension().string())) {
            return true;
        }
    }
    return false;
}

// Returns whether an entry beside the folders of classes is neither one nor a file that tasks leave
// alone because of its ending: it would not be predicted for.
bool is_left_out(const fs::path& entry, const Strings& classes) {
    std::error_code ignored;
    return fs::is_directory(entry, ignored) ||
           std::ranges::any_of(classes, [&](const std::string& name) {
               return has_alike(entry.parent_path() / name, entry);
           });
}

// A folder with none of the classes is one of samples, and not of classes.
DataScores folder_scores(const fs::path& folder, const Strings& classes) {
    std::size_t known = 0;
    std::string other;
    std::error_code error, ignored;  // the task reports what cannot be read
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        const bool is_class =
            fs::is_directory(it->path(), ignored) && std::ranges::count(classes, name) > 0;
        if (name.starts_with('.') || (!is_class && !is_left_out(it->path(), classes))) {
            continue;
        }
        known += is_class ? 1 : 0;
        other = is_class || (!other.empty() && other < name) ? other : name;
    }
    if (known == 0 || other.empty()) {
        return {.is_scored = known > 0};
    }
    return {.reason = fmt::format("{} is not a class of the training ({}), which the others "
                                  "are: move it elsewhere to have those scored",
                                  (folder / other).string(), join(classes, ", ")),
            .has_targets = true};
}

class Targets {
public:
    Targets(experiment::TaskEntry& task, const plugin::Component& component,
            const plugin::Setting& unlabeled, const Value& recorded)
        : task_(task), component_(component), unlabeled_(unlabeled), recorded_(recorded) {
        for (const plugin::Port& port : component.ports) {
            find(port.when, nullptr);
        }
        for (const plugin::Port& port : component.ports) {
            mark_lists(port);
        }
        for (const plugin::Global& global : component.globals) {
            const Strings classes = classes_of(task, global, recorded);
            find(global.when, &classes);
            if (classes_.empty() && is_gone(global.when, unlabeled)) {
                classes_ = classes;
            }
        }
    }

    // Returns whether and how the table can be scored.
    [[nodiscard]] DataScores scores(const std::string& text, char separator) const {
        Rows rows(text, separator);
        Strings header;
        rows.next(header);
        for (const TargetColumn& column : columns_) {
            if (!find_column(header, column.name)) {
                return {.reason = fmt::format("the table has no column '{}'", column.name)};
            }
        }
        return columns_.empty() ? DataScores() : scores_of(rows, header);
    }

    [[nodiscard]] DataScores scores_of_folders(const fs::path& folder) const {
        return setting_for(plugin::Purpose::kMissingClasses) != nullptr
                   ? folder_scores(folder, classes_)
                   : DataScores();
    }

    // Returns the columns that unlabeled samples have, too, in the order of the settings.
    [[nodiscard]] Strings inputs() const {
        Strings columns;
        for (const plugin::Setting& setting : component_.settings) {
            const Value* names =
                is_input(setting.name) ? task_.settings.find(setting.name) : nullptr;
            const Strings named = strings_in(names);
            std::ranges::copy(
                named == Strings{kAllColumns}
                    ? recorded_columns(task_, component_, setting.name, recorded_).value_or(named)
                    : named,
                std::back_inserter(columns));
        }
        return columns;
    }

    // Makes the task read the data as it reads the training's.
    void use(const Value& file) {
        for (const plugin::Setting& setting : component_.settings) {
            if (is_source(setting)) {
                task_.settings.set(setting.name, file);
            } else if (setting.takes_unlabeled) {
                task_.settings.erase(setting.name);
            } else if (is_switch(setting) && task_.settings.find(setting.name) != nullptr) {
                task_.settings.erase(setting.name);
                forget_globals_of(setting);
            }
        }
        if (const plugin::Setting* unlisted = setting_for(plugin::Purpose::kUnlistedRows)) {
            task_.settings.set(unlisted->name, Value(kUncounted).at(file.place()));
        }
        if (const plugin::Setting* missing = setting_for(plugin::Purpose::kMissingClasses)) {
            task_.settings.set(missing->name, Value(true).at(file.place()));
            set_classes(classes_, file.place());
        }
        for (const TargetColumn& column : columns_) {
            set_classes(column.classes, file.place());
        }
    }

private:
    [[nodiscard]] const plugin::Setting* setting_for(plugin::Purpose purpose) const {
        return plugin::find_purpose(component_.settings, purpose);
    }

    void set_classes(const Strings& classes, const SourceLocation& place) {
        const plugin::Setting* const names = setting_for(plugin::Purpose::kClassNames);
        if (!classes.empty() && names != nullptr) {
            task_.settings.set(
                names->name,
                Value::list(std::vector<Value>(classes.begin(), classes.end())).at(place));
        }
    }

    [[nodiscard]] DataScores scores_of(Rows& rows, const Strings& header) const {
        std::size_t count = 0;
        std::size_t unknown = 0;
        std::string first;
        const bool can_leave_out = setting_for(plugin::Purpose::kUnlistedRows) != nullptr;
        std::vector<std::size_t> places;
        for (const TargetColumn& column : columns_) {
            places.push_back(*find_column(header, column.name));
        }
        for (Strings cells; rows.next(cells); ++count) {
            if (cells.size() != header.size()) {  // the task reports it, and its cells are others
                return {.is_scored = true};
            }
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                const TargetColumn& column = columns_[i];
                const std::size_t place = places[i];
                const std::string cell = place < cells.size() ? cells[place] : "";
                const std::string wrong = wrong_cell(column, cell);
                if (wrong.empty()) {
                    continue;
                }
                const std::string what = fmt::format("line {} has '{}' as '{}', which is {}",
                                                     rows.line(), cell, column.name, wrong);
                if (!can_leave_out || !column.is_class || column.is_yes_or_no) {
                    return {.reason = what + "; remove such rows to score the others",
                            .has_targets = true};
                }
                first = unknown == 0 ? what : first;
                ++unknown;
            }
        }
        if (unknown > 0 && unknown == count) {
            return {.reason = "no row has a class of the training: " + first, .has_targets = true};
        }
        return {.is_scored = true,
                .note = unknown == 0 ? ""
                                     : fmt::format("{} of {} rows {} not scored: {}", unknown,
                                                   count, unknown == 1 ? "is" : "are", first)};
    }

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
                auto known = std::ranges::find(columns_, name, &TargetColumn::name);
                if (known == columns_.end()) {
                    known = columns_.insert(columns_.end(), {.name = name});
                }
                known->is_class = known->is_class || classes != nullptr;
                if (classes != nullptr && !classes->empty()) {
                    known->classes = *classes;
                }
            }
        }
    }

    // Marks the columns of a port with a number for each class. The task reads their cells.
    void mark_lists(const plugin::Port& port) {
        const bool has_numbers = port.purpose == plugin::Purpose::kTargets &&
                                 port.element == plugin::Element::kFloating && !port.when.empty();
        const auto& terms = has_numbers ? parse_condition(port.when).terms : std::vector<Term>();
        const bool exists = std::ranges::all_of(terms, [&](const Term& term) {
            return term.is_negated || is_set(task_.settings.find(term.setting));
        });
        for (const Term& term : exists ? terms : std::vector<Term>()) {
            for (const std::string& name : strings_in(task_.settings.find(term.setting))) {
                const auto column = std::ranges::find(columns_, name, &TargetColumn::name);
                if (column != columns_.end()) {
                    column->is_list = !is_yes_or_no(port);
                    column->is_yes_or_no = is_yes_or_no(port);
                }
            }
        }
    }

    // Returns whether the setting names columns that unlabeled samples have, too.
    [[nodiscard]] bool is_input(const std::string& setting) const {
        return std::ranges::any_of(component_.ports, [&](const plugin::Port& port) {
            return !is_gone(port.when, unlabeled_) &&
                   (names_setting(port.when, setting) || port.streams_setting == setting);
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
        if (column.is_list) {
            return "";
        }
        if (column.is_class && !cell.empty() &&
            (classes.empty() || std::ranges::count(classes, cell) > 0)) {
            return "";
        }
        if (column.is_class) {
            return classes.empty() ? "not a class"
                                   : "not a class of the training (" + join(classes, ", ") + ")";
        }
        return has_number(cell) ? "" : "not a number";
    }

    experiment::TaskEntry& task_;
    const plugin::Component& component_;
    const plugin::Setting& unlabeled_;
    const Value& recorded_;
    std::vector<TargetColumn> columns_;
    Strings classes_;  // of a global that goes with the targets
};

}  // namespace

std::optional<Strings> class_names_in(const Value& mapping) {
    if (!mapping.is_table() || mapping.members().empty()) {
        return std::nullopt;
    }
    std::map<std::int64_t, std::string> names;
    for (const Member& one : mapping.members()) {
        if (one.value.is_integer()) {
            names.emplace(one.value.as_integer(), one.key);
        }
    }
    const auto count = std::ssize(mapping.members());
    if (std::ssize(names) != count || names.begin()->first != 0 ||
        names.rbegin()->first != count - 1) {
        return std::nullopt;
    }
    const auto in_order = std::views::values(names);
    return Strings(in_order.begin(), in_order.end());
}

std::vector<std::string> input_columns(const experiment::Section& section, const Value& recorded,
                                       const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    const plugin::Setting* unlabeled =
        component == nullptr ? nullptr : unlabeled_setting(*component);
    if (unlabeled == nullptr || !reads_table(section, catalog)) {
        return {};
    }
    experiment::TaskEntry task = section.task;
    return Targets(task, *component, *unlabeled, recorded).inputs();
}

DataScores give_with_targets(experiment::Section& section, const fs::path& data,
                             const Value& recorded, const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    const plugin::Setting* unlabeled =
        component != nullptr ? unlabeled_setting(*component) : nullptr;
    if (unlabeled == nullptr) {
        return {};
    }
    Targets targets(section.task, *component, *unlabeled, recorded);
    DataScores scores;
    if (reads_table(section, catalog)) {
        const auto separator = separator_of(section.task, *component, data);
        scores = separator ? targets.scores(read_text(data), *separator) : DataScores();
    } else if (std::error_code ignored; fs::is_directory(data, ignored)) {
        scores = targets.scores_of_folders(data);
    }
    if (scores.is_scored) {
        targets.use(Value(fs::absolute(data).string()).at(SourceLocation("--data", 0, 0)));
        section.sampler.reset();
        section.batch_limit.reset();
    }
    return scores;
}

}  // namespace ptp::pipeline
