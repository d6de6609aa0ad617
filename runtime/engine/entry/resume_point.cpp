#include "engine/entry/resume_point.hpp"

#include "control/command.hpp"
#include "run/hashes.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"

#include <algorithm>
#include <optional>

namespace ptp::engine {

namespace {

// Returns whether the training continues beyond its limit, also if it was killed after the limit
// was raised and before the next checkpoint.
bool goes_on_before_limit(const RunRequest& request, const std::filesystem::path& run_folder,
                          const std::filesystem::path& newest) {
    if (!request.resume->new_values.empty()) {
        return true;
    }
    const auto entries = run::read_journal(run_folder / run::kJournalFile, control::check_entry);
    return std::ranges::any_of(entries, [&](const run::Entry& entry) {
        return control::is_set(entry) &&
               newest.filename() == CheckpointFolder::name_of(entry.episode);
    });
}

CheckpointFolder::Found found_in_first(const RunRequest& request,
                                       const std::filesystem::path& run_folder,
                                       CheckpointFolder& checkpoints) {
    if (!request.resume->checkpoint.empty()) {
        run::check_hashes(request.resume->checkpoint);
        checkpoints.remove_before_limit();  // it is later than the resume point
        return {request.resume->checkpoint, {}};
    }
    CheckpointFolder::Found found = checkpoints.find();
    if (found.newest_whole && goes_on_before_limit(request, run_folder, *found.newest_whole)) {
        if (const auto before = checkpoints.before_limit()) {
            found.newest_whole = before;
        }
    }
    return found;
}

}  // namespace

CheckpointFolder::Found resume_point(const RunRequest& request,
                                     const std::filesystem::path& run_folder,
                                     CheckpointFolder& checkpoints, Collective& processes) {
    CheckpointFolder::Found found;
    if (processes.is_first()) {
        found = found_in_first(request, run_folder, checkpoints);
    }
    const std::filesystem::path path =
        processes.share(found.newest_whole.value_or("").string(), "the checkpoint to resume from");
    found.newest_whole = path.empty() ? std::nullopt : std::optional(path);
    return found;
}

}  // namespace ptp::engine
