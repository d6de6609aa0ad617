// Chooses the files and streams of a process, which differ between the first one and the others,
// and the checkpoint for all of them.

#include "engine/entry/run_files.hpp"

#include "base/error.hpp"
#include "control/command.hpp"
#include "distributed/rank_log.hpp"
#include "run/hashes.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace ptp::engine {

namespace {

std::unique_ptr<run::RunFolder> folder_of_run(const RunRequest& request) {
    if (request.resume) {
        return std::make_unique<run::RunFolder>(*request.run_folder);
    }
    auto made = std::make_unique<run::RunFolder>(request.run_folder, request.experiment.name,
                                                 std::chrono::system_clock::now());
    if (!request.place.is_one()) {
        made->keep();  // its log names the failed process
    }
    return made;
}

// From here on, the output of this process goes to its log.
std::filesystem::path own_folder_of_rank(const std::filesystem::path& run, std::int64_t rank) {
    const std::filesystem::path folder = run::rank_folder(run, rank);
    try {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
    } catch (const std::filesystem::filesystem_error& error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot make {}: {}", folder.string(), error.code().message()));
    }
    distributed::log_to(run::rank_log(run, rank));
    return folder;
}

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

RunFiles run_files(const RunRequest& request, const Embedding* embedding, Collective& processes) {
    RunFiles files;
    files.run = processes.from_first("the run folder", [&] {
        files.folder = folder_of_run(request);
        return files.folder->path().string();
    });
    processes.on_first([&] {
        files.own = files.run;
        files.log = files.run / run::kLogFile;
        files.output = embedding != nullptr ? embedding->output : stdout;
        files.warnings = embedding != nullptr ? nullptr : stderr;
    });
    processes.on_others([&] {
        files.own = own_folder_of_rank(files.run, request.place.rank);
        files.log = run::rank_log(files.run, request.place.rank);
        files.null_output.reset(std::fopen("/dev/null", "w"));
        files.output = files.null_output.get();
    });
    return files;
}

CheckpointFolder::Found resume_point(const RunRequest& request,
                                     const std::filesystem::path& run_folder,
                                     CheckpointFolder& checkpoints, Collective& processes) {
    CheckpointFolder::Found found;
    const std::filesystem::path path = processes.from_first("the checkpoint to resume from", [&] {
        found = found_in_first(request, run_folder, checkpoints);
        return found.newest_whole.value_or("").string();
    });
    found.newest_whole = path.empty() ? std::nullopt : std::optional(path);
    return found;
}

}  // namespace ptp::engine
