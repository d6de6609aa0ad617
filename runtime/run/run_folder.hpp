// The folder of one run: made anew, never over something that is there, or taken up again.

#pragma once

#include "run/paths.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::run {

// The folder that is asked for, which must not exist or be empty; without it a new one in `parent`,
// <YYYYmmdd_HHMMSS>, with _2, _3 and so on where that is taken. Absolute. Throws RunError with
// kConfigurationError.
std::filesystem::path make_folder(const std::optional<std::filesystem::path>& asked_for,
                                  const std::filesystem::path& parent,
                                  std::chrono::system_clock::time_point now);

// [main] Holds the folder's lock as long as it lives.
class RunFolder {
public:
    // `asked_for` must not exist or be empty. What is made is removed again unless keep() is
    // called. Without it: runs/<name>/<YYYYmmdd_HHMMSS> in the current folder, with _2, _3 and so
    // on where that is taken. Throws RunError with kConfigurationError.
    RunFolder(const std::optional<std::filesystem::path>& asked_for, const std::string& name,
              std::chrono::system_clock::time_point now);

    // The folder of a run that is to continue. Throws RunError with kConfigurationError if another
    // process is at it, and with kDataError for a link in it that leads out of it.
    explicit RunFolder(const std::filesystem::path& existing);

    ~RunFolder();
    // The run has begun: its folder stays, however it ends.
    void keep() { is_kept_ = true; }
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // absolute
    [[nodiscard]] std::filesystem::path checkpoints() const { return path_ / kCheckpointsFolder; }
    [[nodiscard]] std::filesystem::path plugins() const { return path_ / kPluginsFolder; }

private:
    void lock();

    void remove() const;

    bool is_ours_ = false;  // it was not there before
    std::filesystem::path path_;
    bool is_kept_ = true;
    int lock_ = -1;
};

}  // namespace ptp::run
