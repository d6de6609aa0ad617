// New numbers that are far outside of those that the training has seen.
#pragma once

#include "table_columns.hpp"

#include <span>
#include <string>

// Returns a warning of the first number in these rows that lies far outside of its column's range,
// as one in another unit does; "" if there is none. Columns of an earlier version's checkpoint have
// no range.
std::string warning_of_far_numbers(const TableFile& table, std::span<const size_t> rows,
                                   const TableColumns& columns);
