// Lists and groups of runs as tables and JSON. A group has runs that differ only in their seed or
// their fold: mean and deviation.
#pragma once

#include "base/json.hpp"
#include "ptp-runs/columns.hpp"
#include "ptp-runs/table.hpp"
#include "run/run.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ptp::runs {

// Returns whether a value comes before another: numbers before texts, nan and missing values last.
bool is_before(const std::optional<Value>& left, const std::optional<Value>& right,
               bool is_descending);

// Sorts by a column; runs without a value come last.
void sort_by(std::vector<run::Run>& runs, const Column& column, bool is_descending);

// Returns the columns of a comparison, the most important first: run, state, requested columns, the
// loss and the statistics of the best weights and their epoch, the varied settings, tags, episodes,
// time, notes, problems.
std::vector<Column> comparison(const std::vector<run::Run>& runs,
                               const std::vector<Column>& asked = {});

// Returns the cells as text. The folders of runs are relative to their common parent.
Table table_of(const std::vector<run::Run>& runs, const std::vector<Column>& columns);

// Returns an array with an object per run: run, state, reason, exit_code, experiment, episode,
// epoch, seconds, began, ended, best, last, settings (those that differ), trial, tags, note,
// problem. Unknown values are null.
Json listing_of(const std::vector<run::Run>& runs);

struct Summary {
    std::size_t count = 0;            // of the values
    std::optional<double> mean;       // nullopt: no values
    std::optional<double> deviation;  // of the sample, with n - 1; nullopt below two values
};

Summary summary_of(const std::vector<double>& values);

// Returns "0.851 ± 0.012", with two significant digits of the deviation, and as many places of the
// mean.
std::string text_of(const Summary& summary);

using Groups = std::vector<std::vector<run::Run>>;

// Groups runs with the same values of the columns, in the order of their first appearance.
Groups groups_of(const std::vector<run::Run>& runs, const std::vector<Column>& keys);

// Sorts by the mean of a column of numbers, or by the common value of the runs of a group.
void sort_groups(Groups& groups, const Column& column, bool is_descending);

// Returns a line per group: keys, the number of runs, and the columns. If a number is missing in
// some runs, the number of runs with it follows.
Table table_of(const Groups& groups, const std::vector<Column>& keys,
               const std::vector<Column>& columns);

// Returns a table for programs: each number in two columns, "loss" and "loss deviation", in full.
Table full_table_of(const Groups& groups, const std::vector<Column>& keys,
                    const std::vector<Column>& columns);

// Returns an array with an object per group: group (the keys), n, runs, and statistics, each with
// mean, deviation and n.
Json listing_of(const Groups& groups, const std::vector<Column>& keys,
                const std::vector<Column>& columns);

// Returns whether a setting identifies one of several otherwise equal trainings: a seed or a fold.
bool is_seed_or_fold(const Column& setting);

}  // namespace ptp::runs
