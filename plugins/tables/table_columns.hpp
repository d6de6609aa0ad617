// The codes of the features and the classes, which the training's rows determine.
#pragma once

#include "column_codes.hpp"
#include "table_config.hpp"

#include <ptp/setup.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

struct TableColumns {
    std::vector<ColumnCode> features;
    std::vector<std::string> classes;

    static constexpr auto state() {
        return std::tuple{ptp::kept("features", &TableColumns::features),
                          ptp::kept("classes", &TableColumns::classes)};
    }

    [[nodiscard]] size_t width() const;
};

// Returns the columns that other settings than `features` name, and that setting.
std::map<std::string, std::string> named_elsewhere(const TableConfig& config);

// Returns what `columns` states, by the column. Throws SettingError.
std::map<std::string, ColumnRule> column_rules(const TableConfig& config);
ColumnRule rule_of(const std::map<std::string, ColumnRule>& rules, const std::string& name);

// Throws SettingError for a rule that is stated for a column whose type has no such value.
void check_missing(const std::string& column, ColumnType type, std::optional<MissingRule> stated);

// Returns the rule of all columns as far as it suits the type; else a missing value is an error.
MissingRule suited(MissingRule rule, ColumnType type);

// Returns the names of the features; `*` is written out. Throws SettingError for columns with two
// uses, and for those that the table lacks, but for a rule of a column that the training has
// learned under a name in `learned`.
std::vector<std::string> feature_names(const TableFile& table, const TableConfig& config,
                                       std::span<const std::string> learned = {});

// Learns from the training's rows, and logs what is inferred. Throws SettingError and DataError.
TableColumns learn_columns(const TableFile& table, const TableConfig& config,
                           const TrainingRows& rows, const ptp::Setup& setup);
