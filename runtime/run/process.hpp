// Detects whether the process that status.json records still exists: a run is "died" otherwise.

#pragma once

#include "run/run.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::run {

// The source of facts about processes, which tests can replace.
struct Machine {
    std::string host;
    std::string boot;
    // Returns when a process began, in ticks since the boot; nullopt if there is none with this
    // number.
    std::optional<std::uint64_t> (*began)(std::int64_t pid) = nullptr;
};

// The machine that this program runs on.
Machine this_machine();

// Returns the note that identifies this process.
ProcessNote this_process();

// Returns false only if the process has certainly ended: on another host this is unknown.
bool may_be_alive(const ProcessNote& note, const Machine& machine);

// Returns field 22 of the content of /proc/PID/stat; nullopt if there is none.
std::optional<std::uint64_t> began_in_stat(const std::string& stat);

}  // namespace ptp::run
