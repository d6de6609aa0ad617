// A file that is read in pieces, and that may be anything: a folder, a pipe, unreadable, changing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp {

class InputFile {
public:
    // Throws FileError (base/file_error.hpp) for what is not a readable regular file.
    explicit InputFile(const std::filesystem::path& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    // When it was opened.
    std::uint64_t size() const { return size_; }

    // As many of these bytes as there are. Throws FileError.
    std::string read(std::uint64_t offset, std::uint64_t size) const;

private:
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

// Writes over bytes that a file has. Throws FileError.
void overwrite(const std::filesystem::path& path, std::uint64_t offset, std::string_view content);

}  // namespace ptp
