// The rule for files to read: only regular files. A pipe could block, and a device has no end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp {

struct OpenedFile {
    int descriptor = -1;         // closed by the caller; if negative, see reason or kind
    int reason = 0;              // the system's, as an errno
    const char* kind = nullptr;  // "a folder, not a file", or "not a regular file"

    std::uint64_t size = 0;  // 0 for files of /proc

    // Returns why it is not open: "it is not a regular file", or the system's words.
    [[nodiscard]] std::string problem() const;
};

// Opens a file for reading, without blocking.
OpenedFile open_regular(const std::filesystem::path& path);

}  // namespace ptp
