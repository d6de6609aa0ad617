// The keys that `ptprun resume --set` may change in the experiment of a run. All others have
// affected the run so far: changing them would make its results inconsistent, or its state
// unusable.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/experiment.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

struct ResumableKey {
    std::string_view key;    // includes all keys below it; "*" matches any one part
    std::string_view means;  // for a person
    // Copies the value from one experiment to another, when the training reaches the episode of the
    // change. nullptr: the key belongs to the training process, and applies at once.
    void (*copy)(const Training& from, Training& to);
};

// Returns the list of keys.
std::span<const ResumableKey> resumable_keys();

// Returns whether the list has the key, for example "training.optimizer.groups.net.lr".
bool is_resumable(const std::string& key);

// Copies the values that belong to the training.
void copy_resumable(const Training& from, Training& to);

// Returns the value at a key of a tree, in the form of differing_keys(); nullptr if there is none.
const Value* value_at(const Value& tree, const std::string& key);

// Returns the keys of values that differ between two experiments, in their order.
std::vector<std::string> differing_keys(const Experiment& left, const Experiment& right);

// Reports keys that --set cannot change, each with its reason, and what can: "a training anew can",
// with its command. Of a table of another type only `type` is reported.
void refuse_changes(const std::vector<std::string>& keys, const Explanation& other,
                    Diagnostics& problems);

}  // namespace ptp::experiment
