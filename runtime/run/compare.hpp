// Runs beside each other: which columns distinguish them, and in which order they are listed.

#pragma once

#include "run/columns.hpp"
#include "run/run.hpp"
#include "run/table.hpp"

#include <string>
#include <vector>

namespace ptp::run {

// Sorts by a column; runs without a value come last.
void sort_by(std::vector<Run>& runs, const Column& column, bool is_descending);

// The columns of a comparison, the most telling first: run, state, what was asked for, the loss and
// the statistics of the best weights and their epoch, the settings that are varied, tags, episodes,
// time, notes, problems.
std::vector<Column> comparison(const std::vector<Run>& runs, const std::vector<Column>& asked = {});

// Adds a column unless it is there.
void add_column(std::vector<Column>& columns, Column column);

// The cells as text. The folders of runs are relative to their common parent.
Table table_of(const std::vector<Run>& runs, const std::vector<Column>& columns);

// Where all the runs lie; the parent of a single one.
std::filesystem::path common_folder(const std::vector<Run>& runs);

}  // namespace ptp::run
