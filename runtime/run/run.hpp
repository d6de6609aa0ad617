// A run according to its folder. The content is not trusted: missing or broken files become a
// problem of the run, never an exception.

#pragma once

#include "base/value.hpp"
#include "run/status.hpp"

#include <cassert>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

// A run. Its state is running, done, stopped, failed, died or unreadable.
struct Run : Status {
    std::filesystem::path folder;
    std::string problem;            // error in the folder; empty if there is none
    std::string experiment;         // name of the experiment
    std::string trial;              // "overfit" or "fast_dev_run"; empty: a real training
    std::vector<std::string> tags;  // names that people have given it
    std::string note;               // their remarks on it
    Value settings;                 // the resolved experiment; an empty table if it cannot be read

    [[nodiscard]] bool is_trial() const { return !trial.empty(); }
};

// Returns all states, for messages.
const std::vector<std::string>& states();

// Returns six significant digits, "0.0123457"; "nan" if it is not a number.
std::string number_text(std::optional<double> number);

// Returns a text in one line without control characters, for a listing.
std::string plain(std::string_view text);

// The value by which a run's validations were compared, and the best one.
struct Judged {
    std::string name = "loss";  // or the statistic of training.judge, as written there
    bool is_larger_better = false;
    std::optional<double> value = {};  // nullopt: no validation, or not finite

    // Returns the value such that smaller is better. REQUIRES: value.
    [[nodiscard]] double comparable() const {
        assert(value);
        return is_larger_better ? -*value : *value;
    }
};

Judged judged(const Run& run);

}  // namespace ptp::run
