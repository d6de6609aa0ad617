// The one rule for what is read as a file: a regular file alone. A pipe would be waited for, and a
// device has no end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp {

struct OpenedFile {
    int descriptor = -1;  // the caller closes it; negative: it is not open, and one of these is why
    int reason = 0;       // the system's, as errno has it
    const char* kind = nullptr;  // "a folder, not a file", or "not a regular file"

    std::uint64_t size = 0;  // 0 of the files of /proc

    // Why it is not open: "it is not a regular file", or the system's words.
    [[nodiscard]] std::string problem() const;
};

// Opens a file to be read, without waiting for anything.
OpenedFile open_regular(const std::filesystem::path& path);

}  // namespace ptp
