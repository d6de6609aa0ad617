// A file or folder that is there for a while.
#pragma once

#include <filesystem>
#include <utility>

namespace ptp {

// Removes it, with all in it, at the end of the scope, unless it is kept. Libraries loaded from it
// continue working.
class TemporaryPath {
public:
    explicit TemporaryPath(std::filesystem::path path) : path_(std::move(path)) {}
    ~TemporaryPath();
    TemporaryPath(const TemporaryPath&) = delete;
    TemporaryPath& operator=(const TemporaryPath&) = delete;
    TemporaryPath(TemporaryPath&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryPath& operator=(TemporaryPath&&) = delete;

    // A new folder among the system's temporary files that only this user can read. Throws
    // std::system_error.
    static TemporaryPath new_folder();

    // An empty folder of this path, whatever was there. Throws std::filesystem::filesystem_error.
    static TemporaryPath empty_folder(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // It stays.
    std::filesystem::path keep() { return std::exchange(path_, {}); }

private:
    std::filesystem::path path_;
};

}  // namespace ptp
