// Runs that differ in their seed or their fold only, taken together: mean and deviation.

#pragma once

#include "base/json.hpp"
#include "run/columns.hpp"
#include "run/run.hpp"
#include "run/table.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ptp::run {

struct Summary {
    std::size_t count = 0;            // of the values
    std::optional<double> mean;       // nullopt: there are none
    std::optional<double> deviation;  // of the sample, by n - 1; nullopt below two values
};

Summary summary_of(const std::vector<double>& values);

// "0.851 ± 0.012": two digits of the deviation count, and of the mean as many places.
std::string text_of(const Summary& summary);

// Of the column over the runs that have a number there.
Summary summary_of(const std::vector<Run>& runs, const Column& column);

using Groups = std::vector<std::vector<Run>>;

// Runs with the same values of the columns, in the order in which they come.
Groups groups_of(const std::vector<Run>& runs, const std::vector<Column>& keys);

// Sorts by the mean of a column of numbers, or by the value that all runs of a group have.
void sort_groups(Groups& groups, const Column& column, bool is_descending);

// A line for each group: keys, the number of runs, and the columns. Where a number is missing in
// some runs, the number of runs with it follows.
Table table_of(const Groups& groups, const std::vector<Column>& keys,
               const std::vector<Column>& columns);

// For programs: each number in two columns, "loss" and "loss deviation", with all digits.
Table full_table_of(const Groups& groups, const std::vector<Column>& keys,
                    const std::vector<Column>& columns);

// An array with an object for each group: group (the keys), n, runs, and statistics, each with
// mean, deviation and n.
Json listing_of(const Groups& groups, const std::vector<Column>& keys,
                const std::vector<Column>& columns);

// The settings that runs are grouped by when none are requested: all that are varied but seeds
// and folds.
std::vector<Column> varied_but_seeds(const std::vector<Run>& runs);

// Whether a setting identifies one of several otherwise equal trainings: a seed or a fold.
bool is_seed_or_fold(const std::string& path);

}  // namespace ptp::run
