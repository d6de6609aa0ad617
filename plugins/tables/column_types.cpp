// Reads stated types, and guesses the others by all cells of the training's rows.

#include "column_types.hpp"

#include "cells.hpp"

#include <ptp/error.hpp>
#include <ptp/settings.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace {

// Columns of these types have a setting of their own.
constexpr const char* kRoles = "label|values|text|image|mask|weight|group|id";

// Names of types elsewhere, between blanks.
constexpr std::pair<std::string_view, const char*> kOtherTypes[] = {
    {" categorical enum factor object str string ", "category"},
    {" float float32 float64 int int64 integer numeric numerical real ", "number"},
    {" datetime datetime64 time timestamp ", "date"},
    {" drop exclude skip ", "ignore"},
};

// Returns the type that a name of another program means; "" if none is known.
std::string other_type(const std::string& name) {
    for (const auto& [names, type] : kOtherTypes) {
        if (names.find(" " + name + " ") != names.npos) {
            return type;
        }
    }
    return "";
}

std::string in_words(std::string choices) {
    std::ranges::replace(choices, '|', ' ');
    for (size_t at = choices.find(' '); at != std::string::npos; at = choices.find(' ', at + 2)) {
        choices.replace(at, 1, ", ");
    }
    return choices;
}

template <class Choice>
Choice choice_in(const std::string& column, const char* key, const ptp::Data& value,
                 const char* choices) {
    if (!value.is_text()) {
        throw ptp::SettingError("columns", "'", column, "': ", key, " = ", value.toml(),
                                " is not one of ", in_words(choices), "\nfix: write one of these");
    }
    const int64_t index = ptp::detail::choice_index(choices, value.as_text());
    if (index >= 0) {
        return static_cast<Choice>(index);
    }
    if (ptp::detail::choice_index(kRoles, value.as_text()) >= 0) {
        throw ptp::SettingError("columns", "'", column,
                                "': the column is named by a setting of "
                                "its own\nfix: remove it from columns, and set ",
                                value.as_text(), " = \"", column, "\"");
    }
    std::vector<std::string> types;
    for (const ColumnType type : {ColumnType::kNumber, ColumnType::kCategory, ColumnType::kDate,
                                  ColumnType::kList, ColumnType::kIgnore}) {
        types.emplace_back(type_word(type));
    }
    const bool is_type = std::string(choices) == kColumnTypes;
    const std::string given(value.as_text());
    std::string near = is_type ? other_type(given) : "";
    if (is_type && near.empty()) {
        near = nearest_name(given, types);
    }
    const std::string fix = !near.empty() ? "set " + column_setting(column, ptp::Data(near).toml())
                            : is_type ? "write one of these; numbers of any kind are number, names "
                                        "category, and ignore leaves the column out"
                                      : "write one of these";
    throw ptp::SettingError("columns", "'", column, "': ", key, " = '", value.as_text(),
                            "' is not one of ", in_words(choices), "\nfix: ", fix);
}

bool counts_rows(const TableFile& table, size_t column, std::span<const size_t> rows) {
    std::optional<double> last;
    for (const size_t row : rows) {
        const auto cell = table.value(column, row);
        const auto number = cell ? number_in(*cell) : std::nullopt;
        if (!number || number != static_cast<double>(static_cast<int64_t>(*number)) ||
            (last && *number <= *last)) {
            return false;
        }
        last = number;
    }
    // Numbers of rows are dense; other increasing numbers are measurements.
    const auto first = number_in(*table.value(column, rows.front()));
    return rows.size() > 20 && *last - *first < 2.0 * static_cast<double>(table.row_count());
}

template <class Parse>
bool all_are(const TableFile& table, size_t column, std::span<const size_t> rows, Parse parse) {
    bool has_any = false;
    for (const size_t row : rows) {
        const auto cell = table.value(column, row);
        if (cell && !parse(*cell)) {
            return false;
        }
        has_any = has_any || cell;
    }
    return has_any;
}

// Counts in all rows of the table, so that no split makes a category of a column and another one
// leaves it out.
bool has_few_values(const TableFile& table, size_t column) {
    constexpr size_t kMaxCategories = 100;
    std::set<std::string_view> values;
    for (size_t row = 0; row < table.row_count(); ++row) {
        if (const auto cell = table.value(column, row)) {
            values.insert(*cell);
        }
        if (values.size() > kMaxCategories) {
            return false;
        }
    }
    return values.size() <= std::max<size_t>(10, table.row_count() / 2);
}

std::string toml_key(const std::string& name) {
    const bool is_bare = !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
    return is_bare ? name : ptp::Data(name).toml();
}

// Returns a member of `columns`, a type or a table, with these members; a type alone stays one.
ptp::Data with_members(const ptp::Data& stated, const ptp::Data::Table& added) {
    using Table = ptp::Data::Table;
    Table all = stated.is_table()  ? stated.as_table()
                : stated.is_text() ? Table{{"type", stated}}
                                   : Table();
    for (const auto& [key, value] : added) {
        const auto same = std::ranges::find(all, key, &ptp::Data::Member::key);
        if (same == all.end()) {
            all.push_back({key, value});
        } else {
            same->value = value;
        }
    }
    return all.size() == 1 && all.front().key == "type" ? all.front().value
                                                        : ptp::Data(std::move(all));
}

}  // namespace

const char* type_word(ColumnType type) {
    constexpr const char* kWords[] = {"number", "category", "date", "list", "ignore"};
    return kWords[static_cast<size_t>(type)];
}

std::string column_setting(const std::string& column, const std::string& setting) {
    return "columns = { " + toml_key(column) + " = " + setting + " }";
}

std::string columns_setting(const ptp::Data& columns, const WrittenRules& rules) {
    std::string all;
    const auto add = [&](const std::string& name, const ptp::Data& rule) {
        all += (all.empty() ? "" : ", ") + toml_key(name) + " = " + rule.toml();
    };
    WrittenRules others = rules;
    for (const auto& [name, stated] : columns.as_table()) {
        const auto found = others.find(name);
        add(name, found == others.end() ? stated : with_members(stated, found->second));
        if (found != others.end()) {
            others.erase(found);
        }
    }
    for (const auto& [name, rule] : others) {
        add(name, with_members(ptp::Data(), rule));
    }
    return "columns = { " + all + " }";
}

ColumnRule column_rule(const std::string& column, const ptp::Data& written) {
    ColumnRule rule;
    if (!written.is_table()) {
        rule.type = choice_in<ColumnType>(column, "type", written, kColumnTypes);
        return rule;
    }
    for (const auto& [key, value] : written.as_table()) {
        if (key == "type") {
            rule.type = choice_in<ColumnType>(column, "type", value, kColumnTypes);
        } else if (key == "missing") {
            rule.missing = choice_in<MissingRule>(column, "missing", value, kMissingRules);
        } else if (key == "unknown") {
            rule.unknown = choice_in<UnknownRule>(column, "unknown", value, kUnknownRules);
        } else if (key == "standardize") {
            if (!value.is_bool()) {
                throw ptp::SettingError("columns", "'", column, "': standardize = ", value.toml(),
                                        " is not true or false\nfix: write one of these");
            }
            rule.standardize = value.as_bool();
        } else {
            throw ptp::SettingError("columns", "'", column, "': '", key,
                                    "' is not one of type, missing, unknown, standardize\nfix: "
                                    "write one of these");
        }
    }
    return rule;
}

std::optional<ColumnType> guess_type(const TableFile& table, size_t column,
                                     std::span<const size_t> rows) {
    if (all_are(table, column, rows, number_in)) {
        return counts_rows(table, column, rows) ? std::nullopt : std::optional(ColumnType::kNumber);
    }
    if (all_are(table, column, rows, date_in)) {
        return ColumnType::kDate;
    }
    if (all_are(table, column, rows, list_in)) {
        return ColumnType::kList;
    }
    return has_few_values(table, column) ? std::optional(ColumnType::kCategory) : std::nullopt;
}
