// The types of the columns that become numbers, as the setting `columns` states them or as their
// cells suggest.
#pragma once

#include "table_file.hpp"

#include <ptp/data.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>

enum class ColumnType { kNumber, kCategory, kDate, kList, kIgnore };
enum class MissingRule { kError, kMean, kZero, kFrequent, kDrop };
enum class UnknownRule { kError, kZeros };

inline constexpr const char* kColumnTypes = "number|category|date|list|ignore";
inline constexpr const char* kMissingRules = "error|mean|zero|most_frequent|drop";
inline constexpr const char* kUnknownRules = "error|zeros";

const char* type_word(ColumnType type);

// Returns `columns = { NAME = SETTING }`, with quotes around a name that needs them.
std::string column_setting(const std::string& column, const std::string& setting);

// The members of `columns` for some columns, by their names: { missing = "mean" }.
using WrittenRules = std::map<std::string, ptp::Data::Table>;

// Returns `columns = { ... }` with these members in it, and else as it is.
std::string columns_setting(const ptp::Data& columns, const WrittenRules& rules);

// The member of `columns` for one column.
struct ColumnRule {
    std::optional<ColumnType> type;
    std::optional<MissingRule> missing;
    std::optional<UnknownRule> unknown;
    std::optional<bool> standardize;
};

// Reads one member of `columns`: a type, or a table with type, missing, unknown and standardize.
// Throws SettingError.
ColumnRule column_rule(const std::string& column, const ptp::Data& written);

// Returns the type that the cells of a column suggest: numbers, dates, lists of numbers, or few
// categories of the whole table; nullopt for texts and for numbers that count the rows. `rows` are
// those of the training.
std::optional<ColumnType> guess_type(const TableFile& table, size_t column,
                                     std::span<const size_t> rows);
