// New numbers that are far outside of those that the training has seen.
#pragma once

#include "table_columns.hpp"

#include <ptp/setup.hpp>

#include <span>

// Warns of the first number in these rows that lies far outside of its column's range, as one in
// another unit does. Columns of an earlier version's checkpoint have no range.
void warn_of_far_numbers(const TableFile& table, std::span<const size_t> rows,
                         const TableColumns& columns, const ptp::Setup& setup);
