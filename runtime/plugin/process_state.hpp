// The state of the whole process that a plugin must not change permanently, because the host and
// other plugins depend on it to parse numbers, open relative paths and create files.
#pragma once

#include <sys/types.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <string>

namespace ptp::plugin {

// Saves the locale, the current folder, the umask, the signal handlers and whether the standard
// streams are open. Takes some microseconds. [main]
class ProcessState {
public:
    ProcessState();

    // Returns the differences for a message: "the locale (now de_DE.UTF-8)"; "" if there are none.
    [[nodiscard]] std::string change() const;

    // Restores everything except closed streams.
    void restore() const;

private:
    static constexpr int kSignals = 32;
    static constexpr int kStreams = 3;

    std::string locale_;
    std::filesystem::path folder_;  // empty if it was removed
    mode_t mask_ = 0;
    std::array<struct sigaction, kSignals> handlers_{};
    std::array<bool, kStreams> are_open_{};
};

}  // namespace ptp::plugin
