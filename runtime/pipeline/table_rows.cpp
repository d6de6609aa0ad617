// Reads the rows of tables, and finds the columns that a task's table lacks.

#include "pipeline/table_rows.hpp"

#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"
#include "plugin/setting_key.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace ptp::pipeline {

namespace fs = std::filesystem;

Rows::Rows(std::string_view text, char separator)
    : text_(text), separator_(separator), line_(separator == kJsonLines ? 0 : 1) {
    at_ = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
}

bool Rows::next(Strings& cells) {
    if (separator_ == kJsonLines) {
        return next_object(cells);
    }
    do {
        cells.clear();
        line_ += static_cast<std::size_t>(
            std::count(text_.begin() + static_cast<std::ptrdiff_t>(begin_),
                       text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n'));
        begin_ = at_;
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

namespace {

std::string cell_of(const Json& value) {
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : text_of(value);
}

}  // namespace

bool Rows::next_object(Strings& cells) {
    while (at_ < text_.size()) {
        const std::size_t begin = at_;
        const std::size_t end = std::min(text_.find('\n', begin), text_.size());
        const std::string_view line = trimmed(text_.substr(begin, end - begin));
        const Json record = parsed_json(line).value_or(Json::object());
        if (columns_.empty() && !record.empty()) {  // the line is a row, too
            for (const auto& member : record.items()) {
                columns_.push_back(member.key());
            }
            cells = columns_;
            return true;
        }
        at_ = std::min(end + 1, text_.size());
        ++line_;
        if (!line.empty()) {
            cells = transformed(columns_, [&](const std::string& column) {
                const auto member = record.find(column);
                return member == record.end() ? "" : cell_of(*member);
            });
            return true;
        }
    }
    return false;
}

std::string Rows::cell() {
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

std::optional<std::size_t> find_column(const Strings& header, const std::string& name) {
    auto found = std::ranges::find(header, name);
    if (found == header.end()) {
        found = std::ranges::find_if(header,
                                     [&](const std::string& one) { return trimmed(one) == name; });
    }
    return found == header.end() ? std::nullopt
                                 : std::optional(static_cast<std::size_t>(found - header.begin()));
}

Strings strings_in(const Value* value) {
    Strings strings;
    if (value != nullptr) {
        for (const Value& item : value->is_list() ? value->items() : std::vector{*value}) {
            if (item.is_string()) {
                strings.push_back(item.as_string());
            }
        }
    }
    return strings;
}

const Value* recorded_global(const experiment::TaskEntry& task, const plugin::Global& global,
                             const Value& recorded) {
    const auto named =
        std::ranges::find(task.names.globals, global.name, &experiment::Renaming::from);
    return recorded.find(named == task.names.globals.end() ? global.name : named->to);
}

std::optional<Strings> recorded_columns(const experiment::TaskEntry& task,
                                        const plugin::Component& component,
                                        const std::string& setting, const Value& recorded) {
    for (const plugin::Global& global : component.globals) {
        const Value* published = recorded_global(task, global, recorded);
        const Value* columns =
            published != nullptr && published->is_table() ? published->find(setting) : nullptr;
        if (columns == nullptr || !columns->is_list()) {
            continue;
        }
        Strings names;
        for (const Value& column : columns->items()) {
            const Value* name = column.is_table() ? column.find("name") : nullptr;
            std::ranges::copy(strings_in(name), std::back_inserter(names));
        }
        return names;
    }
    return std::nullopt;
}

bool is_source(const plugin::Setting& setting) {
    return setting.type == plugin::SettingType::kPath && !setting.takes_unlabeled &&
           !setting.obtain.empty();
}

bool has_samples(const plugin::Setting& setting, const std::vector<plugin::Setting>& declared) {
    const auto is_path = [](const plugin::Setting& one) {
        return one.type == plugin::SettingType::kPath;
    };
    return is_path(setting) && (setting.is_required || setting.takes_unlabeled ||
                                std::ranges::none_of(declared, [&](const plugin::Setting& one) {
                                    return is_path(one) && one.is_required;
                                }));
}

namespace {

// Returns the word that a task has for a purpose, by its setting or the setting's default; "" if it
// has neither.
std::string word_for(plugin::Purpose purpose, const experiment::TaskEntry& task,
                     const plugin::Component& component) {
    const plugin::Setting* const setting = plugin::find_purpose(component.settings, purpose);
    if (setting == nullptr) {
        return "";
    }
    const Value* const given = task.settings.find(setting->name);
    const auto usual = plugin::key_of(*setting).default_value;
    const Strings words = strings_in(given != nullptr ? given : usual ? &*usual : nullptr);
    return words.empty() ? "" : words.front();
}

}  // namespace

std::optional<char> separator_of(const experiment::TaskEntry& task,
                                 const plugin::Component& component, const fs::path& file) {
    const std::string format = word_for(plugin::Purpose::kTableFormat, task, component);
    const bool is_lines = file.extension() == ".jsonl" || file.extension() == ".ndjson";
    const bool is_text =
        file.extension() == ".csv" || file.extension() == ".tsv" ||
        (!is_lines && !plugin::find_purpose(component.settings, plugin::Purpose::kTableFormat));
    if (format.empty() ? !is_text : format != "csv") {
        const bool reads_lines =
            is_lines && !plugin::find_purpose(component.settings, plugin::Purpose::kTableFormat);
        return reads_lines ? std::optional(kJsonLines) : std::nullopt;
    }
    const std::string given = word_for(plugin::Purpose::kSeparator, task, component);
    const std::string usual = file.extension() == ".tsv" ? "tab" : "comma";
    const std::string& name = given.empty() ? usual : given;
    return name == "comma" ? ',' : name == "tab" ? '\t' : ';';
}

namespace {

// Returns the file that a task reads for labeled samples; "" if it names none.
fs::path source_of(const experiment::TaskEntry& task, const plugin::Component& component) {
    for (const plugin::Setting& setting : component.settings) {
        const Value* file = is_source(setting) ? task.settings.find(setting.name) : nullptr;
        if (file != nullptr && file->is_string()) {
            return file->as_string();
        }
    }
    return "";
}

}  // namespace

std::optional<TableText> table_text(const experiment::Section& section,
                                    const plugin::Catalog& catalog) {
    const plugin::Component* component = component_of(section.task, catalog);
    const fs::path file = component == nullptr || !reads_table(section, catalog)
                              ? fs::path()
                              : source_of(section.task, *component);
    std::error_code ignored;  // what cannot be looked at is the task's to report
    const auto separator = fs::is_regular_file(file, ignored)
                               ? separator_of(section.task, *component, file)
                               : std::nullopt;
    return separator ? std::optional(TableText{read_text(file), *separator}) : std::nullopt;
}

namespace {

// Calls use(Rows) with the rows of the table that a task reads, if it reads one that is there. The
// first row names the columns.
template <class Use>
void with_rows(const experiment::Section& section, const plugin::Catalog& catalog, Use use) {
    if (const auto table = table_text(section, catalog)) {
        use(Rows(table->cells, table->separator));
    }
}

}  // namespace

std::size_t rows_of_table(const experiment::Section& section, const plugin::Catalog& catalog) {
    std::size_t count = 0;
    with_rows(section, catalog, [&](Rows rows) {
        Strings cells;
        rows.next(cells);
        while (rows.next(cells)) {
            ++count;
        }
    });
    return count;
}

std::vector<std::string> absent_columns(const experiment::Section& section,
                                        const std::vector<std::string>& names,
                                        const plugin::Catalog& catalog) {
    Strings absent;
    with_rows(section, catalog, [&](Rows rows) {
        Strings header;
        rows.next(header);
        std::ranges::copy_if(names, std::back_inserter(absent),
                             [&](const std::string& name) { return !find_column(header, name); });
    });
    return absent;
}

bool has_number(std::string_view cell) {
    std::string_view number = trimmed(cell);
    number.remove_prefix(number.starts_with('+') ? 1 : 0);
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    return error == std::errc() && end == number.data() + number.size();
}

bool may_read_numbers(const experiment::Section& section, const plugin::Catalog& catalog) {
    constexpr int kRows = 20;
    const Strings inputs = input_columns(section, Value::table(), catalog);
    const bool are_all = contains(inputs, std::string(kAllColumns));
    bool is_read = false;
    bool has_numbers = false;
    with_rows(section, catalog, [&](Rows rows) {
        Strings header;
        Strings cells;
        is_read = rows.next(header);
        for (int i = 0; i < kRows && !has_numbers && rows.next(cells); ++i) {
            for (std::size_t k = 0; k < std::min(header.size(), cells.size()); ++k) {
                const bool is_input = contains(inputs, std::string(trimmed(header[k])));
                has_numbers = has_numbers || ((are_all || is_input) && has_number(cells[k]));
            }
        }
    });
    return !is_read || has_numbers;
}

}  // namespace ptp::pipeline
