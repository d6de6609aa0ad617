// A file of weights that can be mapped into memory, where tensors then use its bytes.

#pragma once

#include "base/input_file.hpp"
#include "engine/component/crash.hpp"

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace ptp::engine {

// Returns whether a file of a file system with this number (statfs(2)) stays readable while it is
// open: on those of other machines it may be gone when it is removed there.
bool is_of_this_machine(std::uint32_t file_system);

// The file that had the path when this was made: another one may take its path later.
class MappedFile {
public:
    // Throws RunError with kDataError if the file cannot be opened.
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    // Returns a path for other readers of the same file.
    [[nodiscard]] std::filesystem::path same() const;

    // Maps the first bytes of the file, once. What is written into this memory changes no file.
    // Returns nullptr where the file has fewer, another machine or program may take it away, or the
    // system cannot map it.
    char* map(std::uint64_t size);

    // Returns whether the file has the size and the time of modification that it had when it was
    // opened: a program that sets the time back is not noticed. [any]
    [[nodiscard]] bool is_unchanged() const;

    // Throws RunError with kDataError if it was changed: its bytes are no longer those whose hash
    // was compared. [any]
    void require_unchanged() const;

private:
    [[nodiscard]] struct stat status() const;

    const OpenedFile file_;
    std::filesystem::path path_;  // where it is, without links
    struct stat opened_ {};
    void* begin_ = nullptr;
    std::uint64_t size_ = 0;
    std::optional<CrashOnFile> crash_;  // reports that it was cut off
};

}  // namespace ptp::engine
