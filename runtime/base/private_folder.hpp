// A folder of this process for copies of plugins, where there is no run folder to put them.
#pragma once

#include <filesystem>

namespace ptp {

// Makes a new folder among the system's temporary files that only this user can read, and removes
// it, with all in it, at the end of its scope. Libraries loaded from it go on working.
class PrivateFolder {
public:
    // Throws std::system_error.
    PrivateFolder();
    ~PrivateFolder();
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace ptp
