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

constexpr const char* kRunFolder = "the run folder";

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
std::filesystem::path own_folder_of_rank(const std::filesystem::path& run, std::uint64_t rank) {
    const std::filesystem::path folder = run::rank_folder(run, static_cast<std::int64_t>(rank));
    try {
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
    } catch (const std::filesystem::filesystem_error& error) {
        throw RunError(kTrainingError,
                       fmt::format("cannot make {}: {}", folder.string(), error.code().message()));
    }
    distributed::log_to(run::rank_log(run, static_cast<std::int64_t>(rank)));
    return folder;
}

RunFiles files_of_first(const RunRequest& request, const Embedding* embedding,
                        Collective& processes) {
    RunFiles files;
    files.folder = folder_of_run(request);
    files.run = processes.share(files.folder->path().string(), kRunFolder);
    files.own = files.run;
    files.log = files.run / run::kLogFile;
    if (embedding != nullptr) {
        files.output = embedding->output;
    } else {
        files.warnings = stderr;
    }
    return files;
}

RunFiles files_of_other(const RunRequest& request, Collective& processes) {
    RunFiles files;
    files.run = processes.share("", kRunFolder);
    files.own = own_folder_of_rank(files.run, processes.rank());
    files.log = run::rank_log(files.run, request.place.rank);
    files.null_output.reset(std::fopen("/dev/null", "w"));
    files.output = files.null_output.get();
    return files;
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
    return processes.is_first() ? files_of_first(request, embedding, processes)
                                : files_of_other(request, processes);
}

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
