// Where a process other than rank 0 prints to, because the terminal is that of rank 0.

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::distributed {

// The standard output and the standard error go to the end of this file from here on. Throws
// RunError with kTrainingError. [main]
void log_to(const std::filesystem::path& file);

// Keeps the standard error as it is when this is made, whatever becomes of it.
class FirstErrorStream {
public:
    FirstErrorStream();
    ~FirstErrorStream();
    FirstErrorStream(const FirstErrorStream&) = delete;
    FirstErrorStream& operator=(const FirstErrorStream&) = delete;

    // Writes the text where the standard error has gone to; nothing where it still goes there.
    void show_elsewhere(std::string_view text) const;

private:
    int descriptor_;
};

// The last N lines of a file that are not empty; of a progress line that was written over what was
// seen last. "" for a file that cannot be read.
std::string last_lines(const std::filesystem::path& file, std::size_t count);

}  // namespace ptp::distributed
