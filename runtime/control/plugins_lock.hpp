// plugins.lock in the folder of a run: which generation of each plugin was in force from which
// episode. TOML, for people and programs:
//
//     [[plugins.torch_models]]
//     generation = 1
//     version = "1.0.0"
//     sha256 = "..."
//     file = "torch_models.0.16ed56e20ac6f50a.so"
//     source = "/home/me/build/libtorch_models.so"
//     from_episode = 0

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::control {

struct LockedGeneration {
    std::int64_t number = 1;  // 1 is the first
    std::string version;      // what the plugin says of itself
    std::string sha256;
    std::string file;                // the name of the copy in RUN/plugins
    std::string source;              // where it was copied from
    std::uint64_t from_episode = 0;  // in force when so many episodes are done

    friend bool operator==(const LockedGeneration&, const LockedGeneration&) = default;
};

struct LockedPlugin {
    std::string name;
    std::vector<LockedGeneration> generations;  // by number

    friend bool operator==(const LockedPlugin&, const LockedPlugin&) = default;
};

struct PluginsLock {
    std::vector<LockedPlugin> plugins;  // in the order in which they were added

    // Adds a generation of a plugin, with the number after its last one, which it returns.
    std::int64_t add(const std::string& plugin, LockedGeneration generation);

    // What was in force when so many episodes were done: the generation with the latest episode up to
    // this one, of several the newest. nullptr when there was none.
    [[nodiscard]] const LockedGeneration* in_force(std::string_view plugin,
                                                   std::uint64_t episode) const;

    friend bool operator==(const PluginsLock&, const PluginsLock&) = default;
};

// Throws RunError with kDataError and all that is wrong with the file, each with its place.
PluginsLock read_plugins_lock(const std::filesystem::path& file);

// Replaces the file as a whole. Throws RunError with kTrainingError.
void write_plugins_lock(const std::filesystem::path& file, const PluginsLock& lock);

// The hashes of plugins, by their names, in the record of a checkpoint; none where there is no such
// file, or it says nothing of them.
std::map<std::string, std::string> recorded_plugins(const std::filesystem::path& record);

}  // namespace ptp::control
