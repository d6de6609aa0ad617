// A run as its folder records it. Nothing in a folder is trusted: what is missing or broken becomes
// a problem of the run, never an exception.

#pragma once

#include "base/value.hpp"
#include "run/status.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

// Its state is running, done, stopped, failed, died or unreadable.
struct Run : Status {
    std::filesystem::path folder;
    std::string problem;            // what is wrong with the folder; empty if nothing is
    std::string experiment;         // its name
    std::string trial;              // "overfit" or "fast_dev_run"; empty: a real training
    std::vector<std::string> tags;  // what people have called it
    std::string note;               // their remarks on it
    Value settings;                 // the resolved experiment; an empty table if it cannot be read

    [[nodiscard]] bool is_trial() const { return !trial.empty(); }
};

// All states, for messages.
const std::vector<std::string>& states();

// Six digits that matter: "0.0123457"; "nan" for what is not a number.
std::string number_text(std::optional<double> number);

// A text as a listing can show it: on one line, without control characters.
std::string plain(std::string_view text);

}  // namespace ptp::run
