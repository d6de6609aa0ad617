// Looks for the columns that settings name in the first line of the tables that tasks read: nothing
// else of the data is read before a training.

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/expression.hpp"
#include "pipeline/stages.hpp"
#include "pipeline/table_rows.hpp"
#include "pipeline/task_data.hpp"
#include "pipeline/wiring.hpp"
#include "plugin/purpose.hpp"
#include "schema/check_value.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

namespace {

// Returns the file of the samples with targets; "" where others are read, or none is named.
std::string labeled_table_of(const Node& task) {
    const auto& declared = task.component->settings;
    std::string file;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const auto& value = task.settings[i];
        if (value && declared[i].takes_unlabeled) {
            return "";
        }
        if (file.empty() && value && value->is_string() && is_source(declared[i])) {
            file = value->as_string();
        }
    }
    return file;
}

// Returns the names of the columns; empty where the file is no text, or its first line has no end
// within the first MiB, which is the task's to report.
Strings header_of(const std::string& file, char separator) {
    constexpr std::uint64_t kMaxBytes = 1U << 20U;
    try {
        const InputFile table(file);
        std::string text = table.read(0, kMaxBytes);
        if (table.size() > kMaxBytes) {
            text.resize(std::min(text.rfind('\n') + 1, text.size()));
        }
        Strings header;
        if (is_utf8(text)) {
            Rows(text, separator).next(header);
        }
        return header;
    } catch (const FileError&) {
        return {};
    }
}

std::string quoted_columns(const Strings& names) {
    constexpr std::size_t kShown = 8;
    const Strings first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
    return fmt::format("'{}'{}", join(first, "', '"), names.size() > kShown ? ", ..." : "");
}

// Returns the columns that a name with commas lists, as TOML; "" if one of them is none.
std::string listed_columns(const std::string& name, const Strings& header) {
    Strings columns;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find(',', begin), name.size());
        const std::string column(trimmed(std::string_view(name).substr(begin, end - begin)));
        if (!find_column(header, column)) {
            return "";
        }
        columns.push_back(inline_toml(Value(column)));
        begin = end + 1;
    }
    return join(columns, ", ");
}

// Reports a name that a setting has as one of `count`; alone if that is 0.
void report_absent(const Value& column, const std::string& key, std::size_t count,
                   const std::string& file, const Strings& header, Diagnostics& problems) {
    // A task may take the spaces of a name away, or need them.
    const bool are_names_clear =
        std::ranges::all_of(header, [](const std::string& name) { return trimmed(name) == name; });
    const auto near = are_names_clear ? nearest(column.as_string(), header) : std::nullopt;
    const std::string listed =
        are_names_clear && count > 0 ? listed_columns(column.as_string(), header) : "";
    const std::string name = !listed.empty() ? listed : near ? inline_toml(Value(*near)) : "";
    const std::string fix =
        name.empty() ? "write the name of one of these columns"
        : !listed.empty() && count == 1
            ? schema::typed_value(column.place(), key.substr(0, key.rfind('[')), '[' + name + ']')
        : count > 0 ? fmt::format("write {} in place of it", name)
                    : schema::typed_value(column.place(), key, name);
    problems.error(column, key,
                   Explanation{fmt::format("'{}' is not a column of {}, which has {}",
                                           column.as_string(), file, quoted_columns(header)),
                               fix});
}

// Returns whether a setting names columns: a stream is one, or there are as many streams as names.
bool names_columns(const plugin::Setting& setting, const plugin::Component& task) {
    const bool are_texts = setting.type == plugin::SettingType::kString && setting.choices.empty();
    return are_texts && std::ranges::any_of(task.ports, [&](const plugin::Port& port) {
               const std::vector<Term> terms =
                   port.when.empty() ? std::vector<Term>() : parse_condition(port.when).terms;
               return port.streams_setting == setting.name ||
                      std::ranges::any_of(terms, [&](const Term& term) {
                          return !term.is_negated && term.setting == setting.name;
                      });
           });
}

// Looks for the columns that settings of one task name, or only for those of targets.
void check_task(const Node& task, const std::string& file, const Strings& header,
                bool are_targets_alone, Diagnostics& problems) {
    const auto& declared = task.component->settings;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        const auto& value = task.settings[i];
        const bool is_target = declared[i].purpose == plugin::Purpose::kLabelColumn ||
                               declared[i].purpose == plugin::Purpose::kValueColumns;
        const bool is_due =
            is_target || (!are_targets_alone && names_columns(declared[i], *task.component));
        if (!value || !is_due) {
            continue;
        }
        const std::string key = schema::below(task.path, declared[i].name);
        const bool is_list = value->is_list();
        const std::size_t count = is_list ? value->items().size() : 0;
        for (std::size_t k = 0; k < (is_list ? count : 1); ++k) {
            const Value& column = is_list ? value->items()[k] : *value;
            if (column.is_string() && column.as_string() != kAllColumns &&
                !find_column(header, column.as_string())) {
                report_absent(column, is_list ? fmt::format("{}[{}]", key, k) : key, count, file,
                              header, problems);
            }
        }
    }
}

}  // namespace

void check_columns(const Assembly& assembly, bool has_checkpoint, Diagnostics& problems) {
    for (const experiment::Section* section : experiment::all_sections(*assembly.experiment)) {
        const Draft* const task =
            assembly.runs(section->name) ? assembly.task_of(section->name) : nullptr;
        if (task == nullptr || !task->is_sound ||
            plugin::find_purpose(task->node.component->settings, plugin::Purpose::kSeparator) ==
                nullptr) {
            continue;
        }
        const std::string file = labeled_table_of(task->node);
        const auto separator = separator_of(section->task, *task->node.component, file);
        const Strings header = file.empty() || !separator ? Strings() : header_of(file, *separator);
        // One column is perhaps divided by another sign; numbers are perhaps a first row.
        if (header.size() > 1 && std::ranges::none_of(header, has_number)) {
            check_task(task->node, file, header, has_checkpoint, problems);
        }
    }
}

}  // namespace ptp::pipeline
