// Writes checkpoints into a run's folder, prunes old ones, and finds those to continue from.

#include "engine/checkpoint/checkpoint_folder.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/replace_folder.hpp"
#include "run/hashes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "episode_";
using run::kBeforeLimitCheckpoint;
using run::kBestBeforeLimitCheckpoint;

// Returns whether it is a leftover of a kill while a checkpoint was written or removed, or could
// not be removed.
bool is_leftover(const fs::path& path) {
    const fs::path name = path.filename();
    const bool is_ours =
        name.string().starts_with(kPrefix) || name.stem() == run::kLastCheckpoint ||
        name.stem() == run::kBestCheckpoint || name.stem() == kBeforeLimitCheckpoint ||
        name.stem() == kBestBeforeLimitCheckpoint;
    return is_ours && (name.extension() == ".new" || name.extension() == ".old");
}

bool is_name(const std::string& name) {
    return name.starts_with(kPrefix) && std::all_of(name.begin() + kPrefix.size(), name.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
}

bool is_checkpoint(const fs::directory_entry& entry) {
    return entry.is_directory() && !entry.is_symlink() && is_name(entry.path().filename().string());
}

std::optional<std::string> damage_of(const fs::path& checkpoint) {
    try {
        run::check_hashes(checkpoint);
        return {};
    } catch (const RunError& error) {
        if (error.code() != kDataError) {
            throw;  // unknown whether it is damaged
        }
        return error.what();
    }
}

bool is_whole(const fs::path& checkpoint) {
    return !damage_of(checkpoint);
}

// `last` and `best` are folders in a copy that followed the links, as `scp -r` does.
bool is_folder_for_link(const fs::path& name) {
    return fs::is_directory(fs::symlink_status(name));
}

}  // namespace

// Returns a name with ten digits, so that names have the order of episodes.
std::string CheckpointFolder::name_of(std::uint64_t episodes) {
    return fmt::format("{}{:010}", kPrefix, episodes);
}

CheckpointFolder::CheckpointFolder(fs::path folder, std::int64_t keep, spdlog::logger& log)
    : folder_(std::move(folder)), keep_(keep), log_(log) {}

void CheckpointFolder::publish(std::uint64_t episodes, bool is_best) {
    if (is_best) {
        point(best(), name_of(episodes));
    }
    point(last(), name_of(episodes));
    prune();
}

void CheckpointFolder::publish_best(std::uint64_t episodes) const {
    point(best(), name_of(episodes));
}

void CheckpointFolder::publish_best_before_limit(std::uint64_t best_episodes) const {
    if (best_episodes > 0) {
        point(folder_ / kBestBeforeLimitCheckpoint, name_of(best_episodes));
    }
}

void CheckpointFolder::remove_before_limit() {
    std::error_code ignored;  // a name that remains only keeps a checkpoint
    fs::remove(folder_ / kBestBeforeLimitCheckpoint, ignored);
    if (fs::exists(fs::symlink_status(before_limit_folder()))) {
        remove(before_limit_folder());
    }
}

std::optional<fs::path> CheckpointFolder::before_limit() const {
    const fs::path folder = before_limit_folder();
    recover_folder(folder, is_whole);
    if (!fs::exists(fs::symlink_status(folder))) {
        return std::nullopt;
    }
    if (const auto damage = damage_of(folder)) {
        throw RunError(
            kDataError,
            fmt::format("the training cannot continue from where its limit ended it: {}", *damage));
    }
    return folder;
}

// The link is made under another name and then renamed, so that the name always points to the old
// folder or to the new one. A folder in its place is the copy of a checkpoint, and must be removed
// first.
void CheckpointFolder::point(const fs::path& name, const fs::path& target) const {
    const fs::path made = name.string() + ".new";
    std::error_code error;
    fs::remove(made, error);
    fs::create_directory_symlink(target, made, error);
    if (!error && is_folder_for_link(name)) {
        log_.info(
            fmt::format("{} is a folder, as in copies that follow links; it becomes a link again",
                        name.string()));
        retire_folder(name);  // a leftover, which prune() removes
    }
    if (!error) {
        fs::rename(made, name, error);
    }
    if (error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", name.string(), error.message()));
    }
    sync_folder(folder_);
}

std::vector<fs::path> CheckpointFolder::newest_first() const {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : entries_of(folder_)) {
        if (is_checkpoint(entry)) {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end(), std::greater<>());
    return found;
}

// Ignores errors: a checkpoint that remains only takes space, no reason to end a training.
void CheckpointFolder::remove(const fs::path& folder) {
    const auto say = [this](const std::string& problem) {
        if (!std::exchange(failure_logged_, true)) {
            log_.warn(fmt::format("{}; it stays, and so may other old checkpoints", problem));
        }
    };
    try {
        const fs::path leftover = is_leftover(folder) ? folder : retire_folder(folder);
        std::error_code error;
        fs::remove_all(leftover, error);
        if (error) {
            say(fmt::format("cannot remove {}: {}", leftover.string(), error.message()));
        }
    } catch (const RunError& error) {
        say(error.what());
    }
}

void CheckpointFolder::prune() {
    std::error_code ignored;  // a name that points nowhere keeps nothing
    const fs::path last_target = fs::read_symlink(last(), ignored);
    const fs::path best_target = fs::read_symlink(best(), ignored);
    const fs::path other_best = fs::read_symlink(folder_ / kBestBeforeLimitCheckpoint, ignored);
    std::vector<fs::path> unwanted;
    for (const fs::directory_entry& entry : entries_of(folder_)) {
        if (is_leftover(entry.path())) {
            unwanted.push_back(entry.path());
        }
    }
    std::int64_t count = 0;
    for (const fs::path& checkpoint : newest_first()) {
        const fs::path name = checkpoint.filename();
        const bool is_named = name == last_target || name == best_target || name == other_best;
        if (++count > keep_ && !is_named) {
            unwanted.push_back(checkpoint);
        }
    }
    for (const fs::path& folder : unwanted) {
        remove(folder);
    }
}

void CheckpointFolder::set_aside(const fs::path& checkpoint, const char* as) const {
    const fs::path aside = fmt::format("{}.{}", checkpoint.string(), as);
    fs::remove_all(aside);
    fs::rename(checkpoint, aside);
    log_.warn(fmt::format("{} is kept as {}, for you to look at or to remove", checkpoint.string(),
                          aside.filename().string()));
}

std::optional<std::string> CheckpointFolder::resume_from(std::uint64_t episodes,
                                                         std::uint64_t best_episodes) {
    for (const fs::path& checkpoint : newest_first()) {
        if (checkpoint.filename() > name_of(episodes)) {
            set_aside(checkpoint, is_whole(checkpoint) ? "given_up" : "damaged");
        }
    }
    std::optional<std::string> problem;
    if (best_episodes > 0) {
        const fs::path best_one = folder_ / name_of(best_episodes);
        problem = damage_of(best_one);
        if (!problem) {
            point(best(), best_one.filename());
        } else if (fs::is_directory(best_one)) {
            set_aside(best_one);
        }
    }
    if (best_episodes == 0 || problem) {
        if (is_folder_for_link(best())) {
            set_aside(best());
        }
        std::error_code ignored;  // there may be no such name
        fs::remove(best(), ignored);
    }
    point(last(), name_of(episodes));
    prune();
    return problem;
}

// Refuses to begin again, which would cut off everything that the run has recorded.
void CheckpointFolder::refuse_lost(const std::vector<std::string>& damaged) const {
    if (damaged.empty() && !fs::exists(fs::symlink_status(last()))) {
        return;  // there never was one
    }
    const fs::path run = folder_.parent_path();
    std::string text = fmt::format(
        "{}: the run cannot continue: none of its checkpoints is whole; put one back, or begin a "
        "new run: ptprun {}",
        run.string(), (run / run::kExperimentFile).string());
    for (const std::string& damage : damaged) {
        text += "\n" + damage;
    }
    throw RunError(kDataError, text);
}

void CheckpointFolder::forget_best() const {
    std::error_code error;
    fs::remove(best(), error);
    if (error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot remove {}: {}", best().string(), error.message()));
    }
}

CheckpointFolder::Found CheckpointFolder::find() const {
    recover();
    Found found;
    for (const fs::path& checkpoint : newest_first()) {
        std::optional<std::string> damage = damage_of(checkpoint);
        if (!damage) {
            found.newest_whole = checkpoint;
            return found;
        }
        found.damaged.push_back(std::move(*damage));
    }
    refuse_lost(found.damaged);
    return found;
}

// Gathers the names first, since recovering changes the folder that is read.
void CheckpointFolder::recover() const {
    std::set<fs::path> names;
    for (const fs::directory_entry& entry : entries_of(folder_)) {
        const fs::path name = entry.path().stem();
        if (is_leftover(entry.path()) && is_name(name.string())) {
            names.insert(name);
        }
    }
    for (const fs::path& name : names) {
        recover_folder(folder_ / name, is_whole);
    }
}

}  // namespace ptp::engine
