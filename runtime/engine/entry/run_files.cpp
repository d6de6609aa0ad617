// The choice of files and streams for the two kinds of processes: the first one, and the others.

#include "engine/entry/run_files.hpp"

#include "base/error.hpp"
#include "distributed/rank_log.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cstdint>

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

}  // namespace

RunFiles run_files(const RunRequest& request, const Embedding* embedding, Collective& processes) {
    return processes.is_first() ? files_of_first(request, embedding, processes)
                                : files_of_other(request, processes);
}

}  // namespace ptp::engine
