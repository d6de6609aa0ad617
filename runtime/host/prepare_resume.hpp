// What comes before a run continues: its experiment, the copies of its plugins, and what speaks
// against it.

#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "host/prepare.hpp"
#include "host/resume_check.hpp"
#include "host/run_stages.hpp"
#include "run/status.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

// Absent where the folder is a run's; else what is wrong with it.
std::optional<std::string> not_a_run(const std::filesystem::path& run);

// Where it is unknown, an empty one: then the checkpoints decide. Throws run::NewerFormat.
run::Status status_of(const std::filesystem::path& run);

struct PreparedResume {
    Prepared prepared;  // without a plan if there are errors, or `diverged`
    RunStages stages;
    // The overrides as the journal has them: what they set of [process], which no task reads now,
    // with absolute paths.
    std::vector<std::string> new_values;
    plugin::Catalog processed_catalog;  // of the tasks of [process], where these are set
    std::optional<Standing> standing;   // of the checkpoint
    // Why it would end at once, as it has ended, and what can be done; nullopt where it would
    // not.
    std::optional<Explanation> diverged = {};
    int exit_code = 0;  // of what was reported, or of `diverged`
};

// A run continues with what lies in its folder, the copies of its plugins too: nothing that was
// installed or changed since then has a part in it. Its data must be there, as its tasks will
// check; the weights that it began with need not.
//
// Of `asked` there count overrides, plugins and is_safe. `checkpoint` is a folder of the run;
// empty: the newest whole one. `end` is the reason in the run's status. Reports all that is wrong.
// Throws RunError for files of the run that cannot be read.
PreparedResume prepare_resume(const std::filesystem::path& run,
                              const std::filesystem::path& checkpoint, const std::string& end,
                              const Request& asked, Diagnostics& problems);

}  // namespace ptp::host
