// Values of a run that fit in one cell: by them runs are shown, filtered and sorted.
#pragma once

#include "run/run.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::runs {

enum class Source {
    kRun,         // its folder
    kExperiment,  // its name
    kState,
    kReason,
    kTrial,
    kTags,  // joined by commas
    kNote,
    kProblem,
    kLoss,  // of the best weights, like epoch and statistics
    kEpoch,
    kStatistic,      // named
    kLastLoss,       // of the last weights
    kLastStatistic,  // named
    kEpisodes,       // done so far
    kSeconds,
    kBegan,
    kSetting  // named by its whole path
};

struct Column {
    Source source = Source::kRun;
    std::string name = {};      // of a statistic or a setting
    std::string title = {};     // over the column
    bool is_asked_for = false;  // by a person: it is never left out, and its cells are never cut

    bool operator==(const Column&) const = default;
};

// nullopt where a run has no value.
std::optional<Value> value_of(const run::Run& run, const Column& column);

// The text of a table's cell; "" for nothing.
std::string cell_text(const run::Run& run, const Column& column);

// Why a key means no column, for a person.
struct NoColumn {
    std::string why;
};

// The column of a key: run, experiment, state, reason, loss, epoch, episodes, seconds, began,
// trial, tags, note, last.loss, a statistic, last.STATISTIC, a setting by its path or its end
// ("lr").
std::variant<Column, NoColumn> find_column(const std::string& key,
                                           const std::vector<run::Run>& runs);

// The settings that are not the same in all runs that have a record of theirs, titled by the
// shortest end of their path that distinguishes them. Names are not among them: they are for
// people.
std::vector<Column> differing_settings(const std::vector<run::Run>& runs);

// The settings that differ between runs of one experiment: two experiments differ in nearly all,
// which is no information.
std::vector<Column> varied_settings(const std::vector<run::Run>& runs);

// Returns whether cells of the column are numbers of a training: what has a mean.
bool is_measured(const Column& column);

// The statistics of the best weights of any of the runs.
std::vector<Column> statistics_of(const std::vector<run::Run>& runs);

enum class Comparison { kLess, kAtMost, kEqual, kNotEqual, kAtLeast, kMore };

struct Condition {
    Column column;
    Comparison comparison = Comparison::kEqual;
    Value value;
};

// The reason why a text is not a condition, for a person.
struct NoCondition {
    std::string why;
};

// Parses KEY, then one of < <= = != >= >, then a TOML value or plain text.
std::variant<Condition, NoCondition> read_condition(const std::string& text,
                                                    const std::vector<run::Run>& runs);

// Returns whether a run meets the condition; false without a value to compare. Tags are equal to
// each of the tags. Numbers are compared
// as numbers, texts by their characters; between a number and a text only != is true.
bool meets(const run::Run& run, const Condition& condition);

}  // namespace ptp::runs
