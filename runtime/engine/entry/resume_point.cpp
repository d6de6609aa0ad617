#include "engine/entry/resume_point.hpp"

#include "control/journal_check.hpp"
#include "run/hashes.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"

#include <algorithm>
#include <chrono>

namespace ptp::engine {

namespace {

// Returns whether the training continues beyond its limit, also if it was killed after the limit
// was raised and before the next checkpoint.
bool goes_on_before_limit(const RunRequest& request, const std::filesystem::path& run_folder,
                          const std::filesystem::path& newest) {
    if (!request.new_values.empty()) {
        return true;
    }
    const auto entries = run::read_journal(run_folder / run::kJournalFile, control::check_entry);
    return std::ranges::any_of(entries, [&](const run::Entry& entry) {
        return control::is_set(entry) && newest.filename() == Checkpoints::name_of(entry.episode);
    });
}

}  // namespace

std::unique_ptr<run::RunFolder> folder_of_run(const RunRequest& request) {
    if (!request.place.is_first()) {
        return nullptr;
    }
    if (request.is_resumed) {
        return std::make_unique<run::RunFolder>(*request.run_folder);
    }
    auto made = std::make_unique<run::RunFolder>(request.run_folder, request.experiment.name,
                                                 std::chrono::system_clock::now());
    if (!request.place.is_one()) {
        made->keep();  // its log names the failed process
    }
    return made;
}

Checkpoints::Found resume_point(const RunRequest& request, const std::filesystem::path& run_folder,
                                Checkpoints& checkpoints) {
    if (!request.checkpoint.empty()) {
        run::check_hashes(request.checkpoint);
        checkpoints.remove_before_limit();  // it is later than the resume point
        return {request.checkpoint, {}};
    }
    Checkpoints::Found found = checkpoints.find();
    if (found.newest_whole && goes_on_before_limit(request, run_folder, *found.newest_whole)) {
        if (const auto before = checkpoints.before_limit()) {
            found.newest_whole = before;
        }
    }
    return found;
}

}  // namespace ptp::engine
