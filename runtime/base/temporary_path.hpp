// A file or folder that exists for a limited time.
#pragma once

#include "base/descriptor.hpp"

#include <filesystem>
#include <utility>

namespace ptp {

// Removes the path and its content at the end of the scope, unless it is kept. Libraries loaded
// from it continue to work.
class TemporaryPath {
public:
    explicit TemporaryPath(std::filesystem::path path) : path_(std::move(path)) {}
    ~TemporaryPath();
    TemporaryPath(const TemporaryPath&) = delete;
    TemporaryPath& operator=(const TemporaryPath&) = delete;
    TemporaryPath(TemporaryPath&& other) noexcept
        : path_(std::exchange(other.path_, {})), holding_(std::move(other.holding_)) {}
    TemporaryPath& operator=(TemporaryPath&&) = delete;

    // Creates a folder among the system's temporary files that only this user can read. The first
    // call of a process removes those of programs that were killed on this machine. Throws
    // std::system_error.
    static TemporaryPath new_folder();

    // Creates an empty folder at this path, removing what was there. Throws
    // std::filesystem::filesystem_error.
    static TemporaryPath empty_folder(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Returns the path, which is then not removed.
    std::filesystem::path keep() { return std::exchange(path_, {}); }

private:
    std::filesystem::path path_;
    Descriptor holding_;  // of a new folder, so that no other program removes it
};

}  // namespace ptp
