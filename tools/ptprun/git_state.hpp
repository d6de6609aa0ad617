// In which state of a git repository something was done.

#pragma once

#include "engine/request.hpp"

#include <filesystem>
#include <memory>

namespace ptp::ptprun {

// Asks in a process of its own, which reads the repository while this one continues; where there
// can be none, it starts no process. Executes nothing that the repository configures.
class GitStateQuery {
public:
    // Of the repository that holds a file.
    explicit GitStateQuery(const std::filesystem::path& file);
    ~GitStateQuery();  // ends the process
    GitStateQuery(const GitStateQuery&) = delete;
    GitStateQuery& operator=(const GitStateQuery&) = delete;

    // Gives up after two seconds: what was not read by then is unknown, with the reason. Once.
    engine::GitState answer();

private:
    struct Asked;
    std::unique_ptr<Asked> asked_;  // nullptr: no folder above the file is like a repository's
};

}  // namespace ptp::ptprun
