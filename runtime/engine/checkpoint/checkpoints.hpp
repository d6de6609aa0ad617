// The checkpoints of a run: one folder for each that is kept, named by its episode, and the names
// `last` and `best` that point to two of them.

#pragma once

#include "run/paths.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// [main]
class Checkpoints {
public:
    // Keeps the newest `keep` ones, besides the named ones. Folders that cannot be removed remain,
    // and the log reports this once; the log must outlive it.
    Checkpoints(std::filesystem::path folder, std::int64_t keep, spdlog::logger& log);

    // Returns the name of the checkpoint's folder after N episodes.
    static std::string name_of(std::uint64_t episodes);

    // Calls `write` to make the folder of this checkpoint, which is then `last`, and `best` if it
    // is the best. Whenever the process ends, `last` and `best` are whole. Throws RunError.
    void save(std::uint64_t episodes, bool is_best,
              const std::function<void(const std::filesystem::path&)>& write);

    // Calls `write` to make the folder of an earlier checkpoint, which is then the best; `last`
    // stays. Throws RunError.
    void save_best(std::uint64_t episodes,
                   const std::function<void(const std::filesystem::path&)>& write) const;

    // Calls `write` to make an additional, unnamed checkpoint that does not count for `keep`: where
    // a limit ends the training within an epoch, which is then closed. The current best (0: none)
    // stays too. Throws RunError.
    void save_before_limit(std::uint64_t best_episodes,
                           const std::function<void(const std::filesystem::path&)>& write) const;
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

    // Returns the checkpoint of save_before_limit(), for a training whose limit was raised; nullopt
    // if there is none. Throws RunError, with kDataError if it is damaged.
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
    bool is_failure_said_ = false;
};

}  // namespace ptp::engine
