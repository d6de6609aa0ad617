// The columns of a table that describe whole sets.

#pragma once

#include "engine/statistics/csv_file.hpp"
#include "engine/statistics/set_aggregate.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

// Adds the name of the column, and if its spread over the batches is recorded, the names of those
// columns.
void add_names(std::vector<std::string>& header, const Column& column);

// Adds the cells below them, of all columns for which is_recorded() returns true.
void add_cells(CsvFile& file, const std::vector<Column>& columns,
               const std::vector<Aggregate>& aggregates);

}  // namespace ptp::engine
