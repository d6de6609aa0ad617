// A file that is read in pieces; the path may name a folder or a pipe, and the file may be
// unreadable or change.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp {

class InputFile {
public:
    // Throws FileError (base/file_error.hpp) for anything but a readable regular file.
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    // Returns the size at the time of opening.
    [[nodiscard]] std::uint64_t size() const { return size_; }

    // Reads up to `size` bytes, fewer at the end of the file. Throws FileError.
    [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t size) const;

    // Reads to the end, also a file of /proc, whose size is unknown. Throws FileError, also for
    // more than `max_bytes`, which is a whole number of MiB.
    [[nodiscard]] std::string read_all(std::uint64_t max_bytes) const;

private:
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

// Returns the content of a regular file that a person has written, such as an experiment. Throws
// FileError, also for a file of more than 64 MiB.
std::string read_written(const std::filesystem::path& path);

}  // namespace ptp
