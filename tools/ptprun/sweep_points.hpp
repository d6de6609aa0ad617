// Several values for one key from the command line: `--set lr=0.1,0.01`.
//
// Text that is valid TOML as a whole is one value: `[1, 2]`, `"a,b"`. Other text with commas
// outside of quotes and brackets is a list of the values between the commas.
#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"
#include "host/prepare.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptp::ptprun {

// Expands an override "key=value" to one override per value; a single value stays as it is. Reports
// an empty value. `index` is the override's position among all, from 0.
std::vector<std::string> alternatives(const std::string& text, std::size_t index,
                                      Diagnostics& problems);

// Returns whether some --set has several values.
bool is_sweep(const host::Request& request);

// Throws UsageError for a sweep: for commands that take one experiment. A search takes values
// otherwise.
void refuse_sweep(const host::Request& request, bool is_search = false);

// One experiment of a sweep.
struct SweepPoint {
    std::vector<std::string> overrides;  // in the order of the sweep's overrides
    std::string label;                   // names the swept values: "lr=0.1 seed=2"; "" for no sweep
};

// Returns the name of a key in labels: its last part, or the whole key if another varying key has
// the same last part.
std::string short_key(const std::string& key, const std::vector<std::string>& all);

// Returns all combinations, the last override varying first. Reports more than 10000, and a key
// that two of the overrides set.
std::vector<SweepPoint> sweep_points(const std::vector<std::string>& overrides,
                                     Diagnostics& problems);

// Returns sweep_points() of the request's overrides; none after printing to standard error what is
// wrong.
std::vector<SweepPoint> points_of(const host::Request& request);

struct SweepCheck {
    int code = 0;
    std::optional<experiment::Experiment> first;  // that of the first point
    bool has_classes = false;                     // the first one's task has samples of classes
    std::vector<std::size_t> equal_to;            // of each: the first with the same experiment
};

// Checks all experiments of a sweep, and prints each problem once.
SweepCheck check_sweep(const host::Request& request, const std::vector<SweepPoint>& points);

// Prints that two points are one experiment, which would be trained twice. Returns the exit code of
// the check, or of that.
int refuse_equal(const std::vector<SweepPoint>& points, const SweepCheck& check);

// Returns the label as a file name: "lr=0.1_seed=2", at most 100 bytes.
std::string file_name(const SweepPoint& point);

// The length of a training, in the units of a search.
struct TrialBudget {
    bool is_online = false;  // in episodes, not epochs
    std::int64_t limit = 0;  // the experiment's; -1: none
    std::int64_t first_validation = 1;
};

TrialBudget trial_budget(const experiment::Experiment& experiment);

// Reports, at its place in the space, each lowest and highest value and each choice with which the
// experiment is invalid, or trials would not be comparable; and a budget that the training cannot
// have. `prepared` is the result of the request, without errors.
void check_search(const host::Request& request, const host::Prepared& prepared,
                  Diagnostics& problems);

}  // namespace ptp::ptprun
