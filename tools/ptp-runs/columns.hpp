// Values of a run that fit in one cell: by them runs are shown, filtered and sorted.
#pragma once

#include "run/run.hpp"

#include <compare>
#include <optional>
#include <string>
#include <vector>

namespace ptp::runs {

// The part of a run that has the value of a column.
enum class Source {
    kFacts,  // run, experiment, state, reason, set, loss, epoch, last.loss, episodes, ...
    kBest,   // the statistics of the best weights
    kLast,   // those of the last weights
    kSettings
};

struct Column {
    std::string name;  // of the fact or the statistic; the whole path of a setting
    Source source = Source::kFacts;
    std::string title = name;   // over the column
    bool is_asked_for = false;  // by a person: it is never left out, and its cells are never cut

    bool operator==(const Column&) const = default;
    // Returns whether both have the same values.
    [[nodiscard]] bool is_like(const Column& other) const {
        return source == other.source && name == other.name;
    }
};

// The seconds of training, under their shorter title.
inline const Column kTime{"seconds", Source::kFacts, "time"};

// Adds a column unless one with its values is present.
void add_column(std::vector<Column>& columns, Column column);

// Returns what a person must know of a run: a broken file, or that its best weights are lost; ""
// for none.
std::string problem_of(const run::Run& run);

// nullopt where a run has no value.
std::optional<Value> value_of(const run::Run& run, const Column& column);

// The text of a table's cell; "" for nothing.
std::string cell_text(const run::Run& run, const Column& column);

// Returns the column of a key: a fact, a statistic, last.STATISTIC, a setting by its path or its
// end ("lr"). Throws UsageError for a key that means none, or several.
Column find_column(const std::string& key, const std::vector<run::Run>& runs);

// The settings that are not the same in all runs that have a record of theirs, titled by the
// shortest end of their path that distinguishes them. Names are not among them: they are for
// people.
std::vector<Column> differing_settings(const std::vector<run::Run>& runs);

// The settings that differ between runs of one experiment: two experiments differ in nearly all,
// which is no information.
std::vector<Column> varied_settings(const std::vector<run::Run>& runs);

// Returns whether cells of the column are numbers of a training: what has a mean.
bool is_measured(const Column& column);

// Returns whether the run's value was measured on the samples it is trained on, as it has no
// [validation]: such a value cannot be compared with those of validations.
bool is_of_training(const run::Run& run, const Column& column);

// The statistics of the best weights of any of the runs, without the loss.
std::vector<Column> statistics_of(const std::vector<run::Run>& runs);

struct Condition {
    Column column;
    bool (*holds)(std::partial_ordering order) = nullptr;  // of a run's value and this one
    Value value;
};

// Parses KEY, then one of < <= = != >= >, then a TOML value or plain text. Throws UsageError.
Condition read_condition(const std::string& text, const std::vector<run::Run>& runs);

// Returns whether a run meets the condition; false without a value to compare. Tags are equal to
// each of the tags. Numbers are compared as numbers, texts by their characters; between a number
// and a text only != is true.
bool meets(const run::Run& run, const Condition& condition);

}  // namespace ptp::runs
