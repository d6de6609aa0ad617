// The log of a process other than rank 0, which owns the terminal.

#pragma once

#include "base/descriptor.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::distributed {

// Appends the standard output and the standard error to this file from now on. Throws RunError with
// kTrainingError. [main]
void log_to(const std::filesystem::path& file);

// Keeps the current standard error, even if it is redirected later.
class FirstErrorStream {
public:
    FirstErrorStream();

    // Writes the text to it if the standard error has been redirected; otherwise does nothing.
    void show_elsewhere(std::string_view text) const;

private:
    Descriptor stream_;
};

// Returns the last N lines of a file that are not empty; of an overwritten progress line, the
// visible part. Returns "" for a file that cannot be read.
std::string last_lines(const std::filesystem::path& file, std::size_t count);

}  // namespace ptp::distributed
