// Which generation of each plugin of a run is active, in the file plugins.lock and in memory.

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

// [main]
class Generations {
public:
    // Reads what the run's folder knows, if it knows anything. Throws RunError.
    explicit Generations(std::filesystem::path run_folder);

    // The loaded plugins are active when N episodes are done. Throws RunError.
    void begin(const Plugins& plugins, std::uint64_t episodes);

    // Of those active when N episodes are done.
    [[nodiscard]] std::vector<std::string> hashes(std::uint64_t episodes) const;

    // The files that plugins were copied from when the run began, or were named for a run that
    // continues: for a watch.
    [[nodiscard]] std::vector<std::filesystem::path> sources() const;

    // Those of them whose content is another than what the run has last copied from them. What
    // cannot be read just now is reported by the watch.
    [[nodiscard]] std::vector<std::filesystem::path> newer_sources() const;

    // Of the plugins of these files: where a watch looks for newer builds.
    [[nodiscard]] std::vector<std::filesystem::path> sources_of(
        const std::vector<plugin::Staged>& files) const;

    // What a journal states about these files.
    [[nodiscard]] static std::vector<run::SwappedPlugin> entry_of(
        const std::vector<plugin::Staged>& files);

    // From this episode on these are active. The file has it after sync().
    void add(const std::vector<plugin::Staged>& files, std::uint64_t episode);

    // Before a checkpoint that they have written. Throws RunError.
    void sync();

    // For a checkpoint's record, a table for each loaded plugin: name, version, sha256, generation,
    // from_episode.
    [[nodiscard]] std::vector<run::ActivePlugin> active(const Plugins& plugins,
                                                        std::uint64_t episodes) const;

    // A table for each generation: plugin, generation, version, sha256, from_episode, is_active,
    // components (that were made from it and live), memory_kb (of its image, resident).
    [[nodiscard]] Value status(const Components& components, std::uint64_t episodes) const;

private:
    [[nodiscard]] std::filesystem::path source_of(const run::LockedPlugin& plugin) const;
    [[nodiscard]] bool is_own_copy(const std::filesystem::path& file) const;

    std::filesystem::path run_folder_;
    run::PluginsLock lock_;
    std::map<std::string, std::filesystem::path>
        named_;  // files that the command line named for the run to continue with
    bool is_written_ = true;
};

}  // namespace ptp::engine
