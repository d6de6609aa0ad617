// The files and output streams of one process of a run, and the checkpoint from which a run
// continues.

#pragma once

#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/embedding.hpp"
#include "engine/request.hpp"
#include "run/run_folder.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace ptp::engine {

// The places to which a process of a run writes.
struct RunFiles {
    std::unique_ptr<run::RunFolder> folder;  // nullptr: the first process has it
    std::filesystem::path run;               // the path of the run's folder
    std::filesystem::path own;               // the same, or this process's own part of it
    std::filesystem::path log;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> null_output = {nullptr, std::fclose};
    std::FILE* output = nullptr;
    std::FILE* warnings = nullptr;
};

// The first process, or the only one, has the run's folder: a new one, which is removed if the
// start of a single process is refused because of the experiment or its data, or that of the run
// that continues. It reports to the user, or to the program that embeds it (`embedding` is
// optional). Each other process has an empty folder for copies of plugins, and a log. Throws
// RunError.
RunFiles run_files(const RunRequest& request, const Embedding* embedding, Collective& processes);

// Returns the requested checkpoint, or the newest whole one; the one before a limit if the training
// continues beyond it. The first process searches, and renames damaged checkpoints. Throws
// RunError, with kDataError if it is damaged.
CheckpointFolder::Found resume_point(const RunRequest& request,
                                     const std::filesystem::path& run_folder,
                                     CheckpointFolder& checkpoints, Collective& processes);

}  // namespace ptp::engine
