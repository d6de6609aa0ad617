// Whether the process that noted itself is still there.

#pragma once

#include "run/run.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::run {

// What is asked about processes, so that tests can answer.
struct Machine {
    std::string host;
    std::string boot;
    // When a process began, in ticks since the boot; nullopt if there is none with this number.
    std::optional<std::uint64_t> (*began)(std::int64_t pid) = nullptr;
};

// The machine that this program runs on.
Machine this_machine();

// How this process notes itself.
ProcessNote this_process();

// False only if it is known to be gone: of another host nothing is known.
bool may_be_alive(const ProcessNote& note, const Machine& machine);

// Field 22 of the content of /proc/PID/stat; nullopt if it has none.
std::optional<std::uint64_t> began_in_stat(const std::string& stat);

}  // namespace ptp::run
