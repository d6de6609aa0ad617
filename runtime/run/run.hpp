// A run as its folder tells it. Nothing in a folder is trusted: what is missing or broken becomes a
// problem of the run, never an exception.

#pragma once

#include "base/value.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

using Json = nlohmann::ordered_json;

// Which process works on a run, as it noted itself.
struct ProcessNote {
    std::int64_t pid = 0;
    std::string host;
    std::string boot;                    // the host's, by its boot_id
    std::optional<std::uint64_t> began;  // in ticks since the boot
};

// How good the weights were over a set.
struct Measurement {
    std::string set;
    std::int64_t episode = 0;
    std::int64_t epoch = 0;                                                 // from 1
    std::optional<double> loss;                                             // nullopt: not a number
    std::vector<std::pair<std::string, std::optional<double>>> statistics;  // in their order
};

struct Run {
    std::filesystem::path folder;
    std::string problem;  // what is wrong with the folder; empty if nothing is
    std::string state;    // running, done, stopped, failed, died or unreadable
    std::string reason;
    std::optional<std::int64_t> exit_code;
    std::string experiment;  // its name
    std::int64_t episode = 0;
    std::int64_t epoch = 0;  // how many were begun
    std::optional<double> seconds;
    std::string began;  // RFC 3339
    std::string ended;
    std::optional<Measurement> best;
    std::optional<Measurement> last;
    std::optional<ProcessNote> process;
    std::string trial;              // "overfit" or "fast_dev_run"; empty: a real training
    std::vector<std::string> tags;  // what people have called it
    std::string note;               // what they say of it
    Value settings;                 // the resolved experiment; an empty table if it cannot be read

    [[nodiscard]] bool is_trial() const { return !trial.empty(); }
};

// All states, for messages.
const std::vector<std::string>& states();

// Every leaf of an experiment by its path, "training.optimizer.lr", in the order of the experiment.
// Lists are leaves, and so are empty tables.
std::vector<std::pair<std::string, Value>> flat(const Value& tree);

// "1h02m", "12.3s"; "" for nothing.
std::string duration_text(std::optional<double> seconds);

// Six digits that matter: "0.0123457"; "nan" for what is not a number.
std::string number_text(std::optional<double> number);

// A text as a listing can show it: on one line, without control characters.
std::string plain(std::string_view text);

}  // namespace ptp::run
