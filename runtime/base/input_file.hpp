// A file that is read in pieces, and that may be anything: a folder, a pipe, unreadable, changing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace ptp {

class InputFile {
public:
    // Throws FileError (base/file_error.hpp) for what is not a readable regular file.
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    // When it was opened.
    [[nodiscard]] std::uint64_t size() const { return size_; }

    // As many of these bytes as there are. Throws FileError.
    [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t size) const;

    // All that comes until its end, also of a file of /proc, whose size is not known. Throws
    // FileError, and for more than `max_bytes`, which are a number of MiB, too.
    [[nodiscard]] std::string read_all(std::uint64_t max_bytes) const;

private:
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

// The content of a regular file that a person has written, such as an experiment. Throws FileError,
// and for one of more than 64 MiB too.
std::string read_written(const std::filesystem::path& path);

}  // namespace ptp
