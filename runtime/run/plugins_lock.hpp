// plugins.lock in the folder of a run: which generation of each plugin was active from which
// episode. The file is TOML, for people and programs; its first line is a comment with the number
// of its format, so that an older ptp, which knows no such key, can read it too:
//
//     # format 1: which plugins were active from which episode; written by ptprun
//
//     [[plugins.torch_models]]
//     generation = 1
//     version = "1.0.0"
//     sha256 = "..."
//     file = "torch_models.0.16ed56e20ac6f50a.so"
//     source = "/home/me/build/libtorch_models.so"
//     from_episode = 0

#pragma once

#include "run/paths.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::run {

struct LockedGeneration {
    std::int64_t number = 1;  // 1 is the first
    std::string version;      // as the plugin declares it
    std::string sha256;
    std::string file;                // name of the copy in RUN/plugins
    std::string source;              // path it was copied from
    std::uint64_t from_episode = 0;  // active when this number of episodes is done

    friend bool operator==(const LockedGeneration&, const LockedGeneration&) = default;
};

struct LockedPlugin {
    std::string name;
    std::vector<LockedGeneration> generations;  // by number

    friend bool operator==(const LockedPlugin&, const LockedPlugin&) = default;
};

struct PluginsLock {
    std::vector<LockedPlugin> plugins;  // in the order in which they were added

    // Adds a generation of a plugin, with the next number, which it returns.
    std::int64_t add(const std::string& plugin, LockedGeneration generation);

    // Returns the generation that was active when `episode` episodes were done: the one with the
    // latest episode up to this one, the newest of several. nullptr if there was none.
    [[nodiscard]] const LockedGeneration* active(std::string_view plugin,
                                                 std::uint64_t episode) const;

    friend bool operator==(const PluginsLock&, const PluginsLock&) = default;
};

// Throws NewerFormat, and RunError with kDataError and all errors of the file with their places.
PluginsLock read_plugins_lock(const std::filesystem::path& file);

// Returns "" if a build with the hash `found` is the one that was used, whose hash is `wanted` in
// `where`, otherwise "has changed since the run used it: its SHA-256 begins with ..., WHERE has
// ...".
std::string change_of_build(std::string_view found, std::string_view wanted,
                            std::string_view where = kPluginsLockFile);

// Replaces the whole file. Throws RunError with kTrainingError.
void write_plugins_lock(const std::filesystem::path& file, const PluginsLock& lock);

}  // namespace ptp::run
