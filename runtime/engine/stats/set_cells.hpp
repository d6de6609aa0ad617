// The columns of a table that describe whole sets.

#pragma once

#include "engine/stats/csv_file.hpp"
#include "engine/stats/set_aggregate.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

// The name of the column, and the names of the columns of its spread over the batches if it is
// recorded.
void add_names(std::vector<std::string>& header, const Column& column);

// The cells below them, of all columns that is_recorded() names.
void add_cells(CsvFile& file, const std::vector<Column>& columns,
               const std::vector<Aggregate>& aggregates);

}  // namespace ptp::engine
