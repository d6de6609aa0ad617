// The checkpoints of a run: one folder for each that is kept, named by its episode, and the names
// `last` and `best` that point to two of them.

#pragma once

#include "run/paths.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main]
class CheckpointFolder {
public:
    // Keeps the newest `keep` ones, besides the named ones. Folders that cannot be removed remain,
    // and the log reports this once; the log must outlive it.
    CheckpointFolder(std::filesystem::path folder, std::int64_t keep, spdlog::logger& log);

    // Returns the name of the checkpoint's folder after N episodes.
    static std::string name_of(std::uint64_t episodes);

    // Returns the folder of the checkpoint after N episodes, which its writer makes as a whole
    // (replace_folder()).
    [[nodiscard]] std::filesystem::path folder_of(std::uint64_t episodes) const {
        return folder_ / name_of(episodes);
    }
    // Called when the folder of this checkpoint has been written: it is `last` from now on, and
    // `best` if it is the best; old ones are removed. Whenever the process ends, `last` and `best`
    // are whole. Throws RunError.
    void publish(std::uint64_t episodes, bool is_best);
    // Called when the folder of an earlier checkpoint has been written, which is the best from now
    // on; `last` stays. Throws RunError.
    void publish_best(std::uint64_t episodes) const;

    // Returns the folder of an additional, unnamed checkpoint that does not count for `keep`: where
    // a limit ends the training within an epoch, which is then closed.
    [[nodiscard]] std::filesystem::path before_limit_folder() const {
        return folder_ / run::kBeforeLimitCheckpoint;
    }
    // Called when that folder has been written: the current best (0: none) is kept with it. Throws
    // RunError.
    void publish_best_before_limit(std::uint64_t best_episodes) const;
    // Removes that checkpoint, which is useless once the training continues.
    void remove_before_limit();

    [[nodiscard]] std::filesystem::path last() const { return folder_ / run::kLastCheckpoint; }
    [[nodiscard]] std::filesystem::path best() const { return folder_ / run::kBestCheckpoint; }

    struct Found {
        std::optional<std::filesystem::path> newest_whole;
        std::vector<std::string> damaged;  // problems of newer ones
    };

    // Returns the newest checkpoint whose files all have their hash, even if a kill left one under
    // the name of a leftover (see recover_folder()); none if there never was one. Throws RunError,
    // with kDataError if there were some and none is whole.
    [[nodiscard]] Found find() const;

    // Returns the checkpoint in before_limit_folder() if it is whole, for a training whose limit
    // was raised; nullopt if there is none. Throws RunError, with kDataError if it is damaged.
    [[nodiscard]] std::optional<std::filesystem::path> before_limit() const;

    // Continues the run from the checkpoint of N episodes: points `last` to it, and `best` to that
    // of `best_episodes` (0: there is none), in case an earlier process was killed before it could.
    // A folder of that name, as in a copy that followed the links, is replaced by the link. Returns
    // what is wrong with the best one, if anything; then that name is removed. A damaged best one,
    // and all that are newer, are renamed to "<name>.damaged", or "<name>.given_up" if they are
    // whole; these are no longer used and never removed. Throws RunError.
    std::optional<std::string> resume_from(std::uint64_t episodes, std::uint64_t best_episodes);

    // Removes the name `best`. Throws RunError.
    void forget_best() const;

private:
    void point(const std::filesystem::path& name, const std::filesystem::path& target) const;
    void set_aside(const std::filesystem::path& checkpoint, const char* as = "damaged") const;
    void recover() const;
    void refuse_lost(const std::vector<std::string>& damaged) const;
    void prune();
    void remove(const std::filesystem::path& folder);
    [[nodiscard]] std::vector<std::filesystem::path> newest_first() const;

    std::filesystem::path folder_;
    std::int64_t keep_;
    spdlog::logger& log_;
    bool failure_logged_ = false;
};

}  // namespace ptp::engine
