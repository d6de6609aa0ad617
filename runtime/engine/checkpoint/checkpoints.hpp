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
    // Keeps the newest `keep` ones, besides those that are named. What cannot be removed stays, and
    // the log reports it once; the log must outlive it.
    Checkpoints(std::filesystem::path folder, std::int64_t keep, spdlog::logger& log);

    // The name of the checkpoint's folder after N episodes.
    static std::string name_of(std::uint64_t episodes);

    // Has `write` make the folder of this checkpoint, which is then `last`, and `best` if it is the
    // best. At whatever moment the process ends, `last` and `best` are whole. Throws RunError.
    void save(std::uint64_t episodes, bool is_best,
              const std::function<void(const std::filesystem::path&)>& write);

    // Has `write` make the folder of an earlier checkpoint, which is then the best; `last` stays.
    // Throws RunError.
    void save_best(std::uint64_t episodes,
                   const std::function<void(const std::filesystem::path&)>& write) const;

    // Has `write` make one more that no name points to and that does not count for `keep`: where a
    // limit ends the training within an epoch, which is then closed. What is the best until then
    // (0: nothing) stays too. Throws RunError.
    void save_before_limit(std::uint64_t best_episodes,
                           const std::function<void(const std::filesystem::path&)>& write) const;
    // The training continues: it is of no use any more.
    void remove_before_limit();

    [[nodiscard]] std::filesystem::path last() const { return folder_ / run::kLastCheckpoint; }
    [[nodiscard]] std::filesystem::path best() const { return folder_ / run::kBestCheckpoint; }

    struct Found {
        std::optional<std::filesystem::path> newest_whole;
        std::vector<std::string> damaged;  // what is wrong with those that are newer
    };

    // The newest checkpoint whose files all have their hash, after a kill too that left one under
    // the name of a rest (see recover_folder()); none if none was ever made. Throws RunError, with
    // kDataError where there were some and none is whole.
    [[nodiscard]] Found find() const;

    // The one of save_before_limit(), for a training whose limit was raised; nullopt if there
    // is none. Throws RunError, with kDataError where it is damaged.
    [[nodiscard]] std::optional<std::filesystem::path> before_limit() const;

    // A run continues from the checkpoint of N episodes: points `last` to it, and `best` to that
    // of `best_episodes` (0: there is none), where an earlier process was killed before it could.
    // A folder of that name, as in a copy that followed the links, makes room for the link.
    // What is wrong with the best one, if anything; then nothing has that name. A best one
    // that is damaged, and all that are newer, are renamed to "<name>.damaged", or
    // "<name>.given_up" if they are whole, where they count no more and nothing removes them.
    // Throws RunError.
    std::optional<std::string> resume_from(std::uint64_t episodes, std::uint64_t best_episodes);

    // Nothing is the best any more. Throws RunError.
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
