// The engine's request for commands that train an experiment, with the state of its git repository.
#pragma once

#include "commands.hpp"
#include "engine/request.hpp"
#include "host/prepare.hpp"

#include <filesystem>
#include <memory>

namespace ptp::ptprun {

// Determines the state of the git repository of an experiment. Queries a separate process, which
// reads the repository while this one continues; no process is started if there can be no
// repository. Executes nothing that the repository configures.
class GitStateQuery {
public:
    // Queries the repository that contains a file.
    explicit GitStateQuery(const std::filesystem::path& file);
    ~GitStateQuery();  // ends the process
    GitStateQuery(const GitStateQuery&) = delete;
    GitStateQuery& operator=(const GitStateQuery&) = delete;

    // Returns the state. Gives up after two seconds: what was not read by then is unknown, with the
    // reason. Call it once.
    engine::GitState answer();

private:
    struct Asked;
    std::unique_ptr<Asked> asked_;  // nullptr: no folder above the file looks like a repository
};

// Returns the request for one training, with the options of training_options.hpp. `prepared` has a
// plan and must outlive the request; `git` queries the state of the experiment's file, best as the
// first step.
engine::RunRequest training_job(const Given& given, const host::Prepared& prepared,
                                GitStateQuery& git);

struct TrainingLaunch {
    const host::Prepared& prepared;    // read by all processes
    std::filesystem::path run_folder;  // of a resume; otherwise empty
};

// Starts all processes with the words of this command line; after a failure with those of a resume.
// Prints to standard error which process failed, and the reaction. Returns the exit code.
int launch_training(const Given& given, const TrainingLaunch& training);

// Returns the folder of the run if a launcher has created it; otherwise empty. [any]
std::filesystem::path launched_run_folder();

}  // namespace ptp::ptprun
