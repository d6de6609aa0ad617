// Compares runs: which columns distinguish them, and in which order they are listed.

#pragma once

#include "ptp-runs/columns.hpp"
#include "ptp-runs/table.hpp"
#include "run/run.hpp"

#include <string>
#include <vector>

namespace ptp::runs {

// Sorts by a column; runs without a value come last.
void sort_by(std::vector<run::Run>& runs, const Column& column, bool is_descending);

// Returns the columns of a comparison, the most important first: run, state, requested columns, the
// loss and the statistics of the best weights and their epoch, the varied settings, tags, episodes,
// time, notes, problems.
std::vector<Column> comparison(const std::vector<run::Run>& runs,
                               const std::vector<Column>& asked = {});

// Adds a column unless it is present.
void add_column(std::vector<Column>& columns, Column column);

// Returns the cells as text. The folders of runs are relative to their common parent.
Table table_of(const std::vector<run::Run>& runs, const std::vector<Column>& columns);

}  // namespace ptp::runs
