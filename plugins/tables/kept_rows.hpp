// The rows that a section reads where `missing` drops those without a value.
#pragma once

#include "table_columns.hpp"

#include <string>
#include <vector>

// Returns all rows of the table.
std::vector<size_t> all_rows(const TableFile& table);

// Returns whether rows without a value in a column with this rule are dropped.
bool drops(const TableConfig& config, const ColumnRule& rule);

// Returns whether "*" leaves the column out, as texts or numbers of rows, by all rows of the table:
// those of the training are not known before rows are dropped.
bool is_left_out(const TableFile& table, const TableConfig& config, const std::string& name);

// Returns the features that the section reads: the training's, `saved`, where it has all, but for a
// table that is divided, since each section must divide the same rows.
std::vector<std::string> features_to_read(const TableFile& table, const TableConfig& config,
                                          const std::vector<ColumnCode>& saved);

// The rows without those that a rule drops.
struct KeptRows {
    std::vector<size_t> rows;
    std::string missing;  // why others are dropped: "cabin 300, age 12"
};

// Features that are left out as texts drop no row.
KeptRows kept_rows(const TableFile& table, const TableConfig& config,
                   std::span<const std::string> features);
