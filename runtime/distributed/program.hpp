// A program that this process starts, and watches.

#pragma once

#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::distributed {

struct Program {
    std::filesystem::path path = {};
    std::vector<std::string> arguments = {};
    std::map<std::string, std::string> variables = {};  // besides those of this process
    std::filesystem::path output = {};  // for its output and errors; empty: those of this process
    bool is_appended = false;           // to the content of `output`
    sigset_t blocked = {};              // signals
};

// Starts it with an empty input, in a process group of its own, so that a terminal's Ctrl-C reaches
// it only through this process. It gets SIGTERM when this process ends, even if that is killed.
// Throws RunError with kTrainingError if `output` cannot be written, or if it cannot be started.
// [main]
pid_t start(const Program& program);

}  // namespace ptp::distributed
