// The columns of a checkpoint, for a section whose table may have other names and other rules.
#pragma once

#include "table_columns.hpp"

// Returns the columns of a checkpoint; one of an earlier version has no ranges.
TableColumns restored_columns(const ptp::Data& saved);

// Gives the features their names in this table and the rules that the section sets: `missing` and
// `unknown` may differ from those of the training. Warns of another order of the features, and of
// another `standardize`. Throws SettingError and DataError.
void adapt_saved(TableColumns& saved, const TableFile& table, const TableConfig& config,
                 const ptp::Setup& setup);
