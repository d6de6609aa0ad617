// The folder of one run: created without overwriting anything, or reopened.

#pragma once

#include "base/descriptor.hpp"
#include "run/paths.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::run {

// Makes a folder in `parent`: <YYYYmmdd_HHMMSS>, with _2, _3 and so on if it exists. Throws
// std::filesystem::filesystem_error.
std::filesystem::path new_folder(const std::filesystem::path& parent,
                                 std::chrono::system_clock::time_point now);

// Returns the requested folder, which must not exist or be empty; by default new_folder(). The path
// is absolute. Throws RunError with kConfigurationError.
std::filesystem::path make_folder(const std::optional<std::filesystem::path>& asked_for,
                                  const std::filesystem::path& parent,
                                  std::chrono::system_clock::time_point now);

// Throws RunError with kConfigurationError if another process works on the run.
void refuse_running(const std::filesystem::path& run);

// [main] Holds the lock of the folder during its lifetime.
class RunFolder {
public:
    // Creates the folder of a new run. `asked_for` must not exist or be empty. By default it is
    // runs/<name>/<YYYYmmdd_HHMMSS> in the current folder, with _2, _3 and so on if it exists. The
    // folder is removed again unless keep() is called. Throws RunError with kConfigurationError.
    RunFolder(const std::optional<std::filesystem::path>& asked_for, const std::string& name,
              std::chrono::system_clock::time_point now);

    // Opens the folder of a run that is to continue. Throws RunError with kConfigurationError if
    // another process uses it, and with kDataError for a link in it that leads out of it.
    explicit RunFolder(const std::filesystem::path& existing);

    ~RunFolder();
    // Keeps the folder, because the run has begun.
    void keep() { is_kept_ = true; }
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // absolute
    [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / kCheckpointsFolder; }
    [[nodiscard]] std::filesystem::path plugins() const { return path_ / kPluginsFolder; }

private:
    void lock();

    void remove() const;

    bool is_ours_ = false;  // created by this object
    std::filesystem::path path_;
    bool is_kept_ = true;
    Descriptor lock_;
};

}  // namespace ptp::run
