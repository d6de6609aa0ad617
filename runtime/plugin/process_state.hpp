// What belongs to the whole process and what a plugin may not leave changed behind it: the host and
// other plugins read numbers, open relative paths and make files by it.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string>

namespace ptp::plugin {

// Remembers the locale, the current folder, the mask for the permissions of new files, the handlers
// of signals and whether the standard streams are open. Takes some microseconds. [main]
class ProcessState {
public:
    ProcessState();

    // What is different from then, for a message: "the locale (now de_DE.UTF-8)"; "" if nothing is.
    [[nodiscard]] std::string change() const;

    // Puts back what can be: all but streams that were closed.
    void restore() const;

private:
    static constexpr int kSignals = 32;
    static constexpr int kStreams = 3;

    std::string locale_;
    std::filesystem::path folder_;  // empty where it was removed
    mode_t mask_ = 0;
    std::array<struct sigaction, kSignals> handlers_{};
    std::array<bool, kStreams> are_open_{};
};

}  // namespace ptp::plugin
