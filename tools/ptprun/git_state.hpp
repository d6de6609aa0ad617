// Determines the state of the git repository of an experiment.

#pragma once

#include "engine/request.hpp"

#include <filesystem>
#include <memory>

namespace ptp::ptprun {

// Queries a separate process, which reads the repository while this one continues; no process is
// started if there can be no repository. Executes nothing that the repository configures.
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

}  // namespace ptp::ptprun
