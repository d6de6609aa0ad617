// A program that is started, and watched over.

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
    std::filesystem::path output = {};  // what it prints and its errors go here; empty: to those of
                                        // this process
    bool is_appended = false;           // to what `output` has
    sigset_t blocked = {};              // signals
};

// Starts it with nothing to read, in a process group of its own, so that the Ctrl-C of a terminal
// reaches it through this process alone. It gets SIGTERM when this process ends, even if that is
// killed. Throws RunError with kTrainingError if `output` cannot be written, and if it cannot be
// started. [main]
pid_t start(const Program& program);

}  // namespace ptp::distributed
