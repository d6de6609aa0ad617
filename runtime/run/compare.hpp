// Compares runs: which columns distinguish them, and in which order they are listed.

#pragma once

#include "run/columns.hpp"
#include "run/run.hpp"
#include "run/table.hpp"

#include <string>
#include <vector>

namespace ptp::run {

// Sorts by a column; runs without a value come last.
void sort_by(std::vector<Run>& runs, const Column& column, bool is_descending);

// Returns the columns of a comparison, the most important first: run, state, requested columns, the
// loss and the statistics of the best weights and their epoch, the varied settings, tags, episodes,
// time, notes, problems.
std::vector<Column> comparison(const std::vector<Run>& runs, const std::vector<Column>& asked = {});

// Adds a column unless it is present.
void add_column(std::vector<Column>& columns, Column column);

// Returns the cells as text. The folders of runs are relative to their common parent.
Table table_of(const std::vector<Run>& runs, const std::vector<Column>& columns);

// Returns the common parent folder of the runs, also for a single one.
std::filesystem::path common_folder(const std::vector<Run>& runs);

}  // namespace ptp::run
