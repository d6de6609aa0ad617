// The active generation of each plugin of a run, in the file plugins.lock and in memory.

#pragma once

#include "base/value.hpp"
#include "engine/component/components.hpp"
#include "engine/component/plugins.hpp"
#include "plugin/staging.hpp"
#include "run/checkpoint_record.hpp"
#include "run/journal.hpp"
#include "run/plugins_lock.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns the resident part of each library of `folder`, in KiB; 0 for a file that is not loaded.
// The libraries' addresses come from the loader and their resident pages from the system
// (mincore(2)), in microseconds for each library. The texts of /proc/self/smaps list the whole
// process, and reading them blocks all threads that map memory. [any]
std::vector<std::int64_t> resident_kilobytes(const std::filesystem::path& folder,
                                             const std::vector<std::string>& files);

// [main]
class Generations {
public:
    // Reads the file in the run's folder, if it exists. Throws RunError.
    explicit Generations(std::filesystem::path run_folder);

    // Makes the loaded plugins active from N completed episodes on. Throws RunError.
    void begin(const Plugins& plugins, std::uint64_t episodes);

    // Returns whether a plugin's file is a copy in the folder of a run. Otherwise the command named
    // it, for the run to continue with.
    [[nodiscard]] static bool is_copy(const std::filesystem::path& file,
                                      const std::filesystem::path& run_folder);

    // Returns the hashes of the plugins active when N episodes are done.
    [[nodiscard]] std::vector<std::string> hashes(std::uint64_t episodes) const;

    // Returns the files that plugins were copied from when the run began, or that were named for a
    // run that continues: for a watch.
    [[nodiscard]] std::vector<std::filesystem::path> sources() const;

    // Returns those sources whose content differs from the run's last copies. Files that cannot be
    // read at the moment are left to the watch.
    [[nodiscard]] std::vector<std::filesystem::path> newer_sources() const;

    // Returns the sources of the plugins of these files: where a watch looks for newer builds.
    [[nodiscard]] std::vector<std::filesystem::path> sources_of(
        const std::vector<plugin::Staged>& files) const;

    // Returns the entry of a journal about these files.
    [[nodiscard]] static std::vector<run::SwappedPlugin> entry_of(
        const std::vector<plugin::Staged>& files);

    // Makes these active from this episode on. The file has the change after sync().
    void add(const std::vector<plugin::Staged>& files, std::uint64_t episode);

    // Called before a checkpoint that depends on them. Throws RunError.
    void sync();

    // Returns, for a checkpoint's record, a table for each loaded plugin: name, version, sha256,
    // generation, from_episode.
    [[nodiscard]] std::vector<run::ActivePlugin> active(const Plugins& plugins,
                                                        std::uint64_t episodes) const;

    // Returns a table for each generation: plugin, generation, version, sha256, from_episode,
    // is_active, components (its live instances), memory_kb (of its image, resident).
    [[nodiscard]] Value status(const Components& components, std::uint64_t episodes) const;

private:
    [[nodiscard]] std::filesystem::path source_of(const run::LockedPlugin& plugin) const;

    std::filesystem::path run_folder_;
    run::PluginsLock lock_;
    std::map<std::string, std::filesystem::path>
        named_;  // named on the command line for the run to continue with
    bool is_written_ = true;
};

}  // namespace ptp::engine
