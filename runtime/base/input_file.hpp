// Reads regular files only: opening a pipe could block, a device has no end. All errors, including
// a file that changes meanwhile, are reported.

#pragma once

#include "base/descriptor.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp {

struct OpenedFile {
    Descriptor descriptor = {};  // if it is not open, see reason or kind
    int reason = 0;              // the system's, as an errno
    const char* kind = nullptr;  // "a folder, not a file", or "not a regular file"

    std::uint64_t size = 0;  // 0 for files of /proc

    // Returns why it is not open: "it is not a regular file", or the system's words.
    [[nodiscard]] std::string problem() const;
};

// Opens a file for reading, without blocking.
OpenedFile open_regular(const std::filesystem::path& path);

// A file that is read in pieces.
class InputFile {
public:
    // Throws FileError (base/file_error.hpp) for anything but a readable regular file.
    explicit InputFile(const std::filesystem::path& path);

    // Returns the size at the time of opening.
    [[nodiscard]] std::uint64_t size() const { return size_; }

    // Reads up to `size` bytes, fewer at the end of the file. Throws FileError.
    [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t size) const;

    // Reads to the end, also a file of /proc, whose size is unknown. Throws FileError, also for
    // more than `max_bytes`, which is a whole number of MiB.
    [[nodiscard]] std::string read_all(std::uint64_t max_bytes) const;

private:
    Descriptor descriptor_;
    std::uint64_t size_ = 0;
};

// Returns the content of a regular file that a person has written, such as an experiment. Throws
// FileError, also for a file of more than 64 MiB.
std::string read_written(const std::filesystem::path& path);

}  // namespace ptp
