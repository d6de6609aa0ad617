#include "engine/checkpoint/checkpoints.hpp"

#include "engine/checkpoint/file.hpp"
#include "engine/checkpoint/hash.hpp"
#include "engine/checkpoint/replace_folder.hpp"
#include "engine/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "episode_";

// Ten digits, so that the order of the names is that of the episodes.
std::string name_of(std::uint64_t episodes) {
    return fmt::format("{}{:010}", kPrefix, episodes);
}

// What a kill while a checkpoint was written or removed has left.
bool is_rest(const fs::directory_entry& entry) {
    const fs::path name = entry.path().filename();
    const bool is_ours =
        name.string().starts_with(kPrefix) || name == "last.new" || name == "best.new";
    return is_ours && (name.extension() == ".new" || name.extension() == ".old");
}

bool is_checkpoint(const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return entry.is_directory() && !entry.is_symlink() && name.starts_with(kPrefix) &&
           std::all_of(name.begin() + kPrefix.size(), name.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Checkpoints::Checkpoints(fs::path folder, std::int64_t keep)
    : folder_(std::move(folder)), keep_(keep) {}

void Checkpoints::save(std::uint64_t episodes, bool is_best,
                       const std::function<void(const fs::path&)>& write) {
    const fs::path made = folder_ / name_of(episodes);
    write(made);
    if (is_best) {
        point(best(), made.filename());
    }
    point(last(), made.filename());
    prune();
}

// A link is made beside and then renamed: the name points to the old folder or to the new one.
void Checkpoints::point(const fs::path& name, const fs::path& target) const {
    const fs::path made = name.string() + ".new";
    std::error_code error;
    fs::remove(made, error);
    fs::create_directory_symlink(target, made, error);
    if (!error) {
        fs::rename(made, name, error);
    }
    if (error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot write {}: {}", name.string(), error.message()));
    }
    sync_folder(folder_);
}

std::vector<fs::path> Checkpoints::newest_first() const {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
        if (is_checkpoint(entry)) {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end(), std::greater<>());
    return found;
}

void Checkpoints::prune() const {
    std::vector<fs::path> rests;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
        if (is_rest(entry)) {
            rests.push_back(entry.path());
        }
    }
    for (const fs::path& rest : rests) {
        fs::remove_all(rest);
    }
    std::error_code ignored;  // a name that points nowhere keeps nothing
    const fs::path last_target = fs::read_symlink(last(), ignored);
    const fs::path best_target = fs::read_symlink(best(), ignored);
    std::int64_t count = 0;
    for (const fs::path& checkpoint : newest_first()) {
        const fs::path name = checkpoint.filename();
        if (++count > keep_ && name != last_target && name != best_target) {
            remove_folder(checkpoint);
        }
    }
}

std::optional<std::string> Checkpoints::take_up(std::uint64_t episodes,
                                                std::uint64_t best_episodes) const {
    std::optional<std::string> problem;
    if (best_episodes > 0) {
        try {
            check_hashes(folder_ / name_of(best_episodes));
            point(best(), name_of(best_episodes));
        } catch (const RunError& error) {
            problem = error.what();
        }
    }
    if (best_episodes == 0 || problem) {
        std::error_code ignored;  // There may be no such name.
        fs::remove(best(), ignored);
    }
    point(last(), name_of(episodes));
    prune();
    return problem;
}

Checkpoints::Found Checkpoints::find() const {
    Found found;
    for (const fs::path& checkpoint : newest_first()) {
        try {
            check_hashes(checkpoint);
            found.newest_whole = checkpoint;
            return found;
        } catch (const RunError& error) {
            found.damaged.emplace_back(error.what());
        }
    }
    return found;
}

}  // namespace ptp::engine
