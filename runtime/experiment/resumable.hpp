// What `ptprun resume --set` may change in the experiment of a run. All else is part of what the
// run has done so far: with another value its results could not be understood, or its state not be
// used.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

struct ResumableKey {
    std::string_view key;    // with all that is below it; "*" matches any one part
    std::string_view means;  // for a person
    // Copies it from one experiment to another, when the training reaches the episode of the
    // change. nullptr: it belongs to the process that trains and changes no result; it counts at
    // once.
    void (*copy)(const Training& from, Training& to);
};

// The list.
std::span<const ResumableKey> resumable_keys();

// Whether the list has the key, "training.optimizer.groups.net.lr".
bool is_resumable(const std::string& key);

// Copies what belongs to the training.
void copy_resumable(const Training& from, Training& to);

// The value at a key of a tree, as differing_keys() names it; nullptr if there is none.
const Value* value_at(const Value& tree, const std::string& key);

// The keys of values that are not the same in two experiments, in their order.
std::vector<std::string> differing_keys(const Experiment& left, const Experiment& right);

// Reports for each value that differs and may not, why. Those that may are returned.
std::vector<std::string> check_resumable(const Experiment& run, const Experiment& wanted,
                                         Diagnostics& problems);

// Reports that a key cannot be changed by --set, and why.
void refuse_change(const std::string& key, Diagnostics& problems);

}  // namespace ptp::experiment
