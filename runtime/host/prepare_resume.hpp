// The preparation of a run that continues: its experiment, the copies of its plugins, and reasons
// against it.

#pragma once

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "host/prepare.hpp"
#include "host/standing.hpp"
#include "run/status.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

// Returns what is wrong with the folder if it is not a run's, otherwise nullopt.
std::optional<std::string> not_a_run(const std::filesystem::path& run);

// Returns an empty status if it is unknown: then the checkpoints decide. Throws run::NewerFormat.
run::Status status_of(const std::filesystem::path& run);

struct PreparedResume {
    Prepared prepared;  // has no plan if there are errors, or `diverged`
    RunStages stages;
    // The overrides as in the journal, with absolute paths in their values of [process], which no
    // task reads now.
    std::vector<std::string> new_values;
    plugin::Catalog processed_catalog;  // for the tasks of [process], if these are set
    std::optional<Standing> standing;   // the checkpoint's
    // The reason and the fix if it would end at once, as it has ended; otherwise nullopt.
    std::optional<Explanation> diverged = {};
    int exit_code = 0;  // for the reported problems, or for `diverged`
};

// Prepares a run to continue with the content of its folder, including the copies of its plugins,
// and without anything that was installed or changed since then. Its data must exist, as its tasks
// will check; the weights that it began with need not.
//
// Only overrides, plugins and is_safe of `asked` are used. `checkpoint` is a folder of the run;
// empty: the newest whole one. `end` is the reason in the run's status. Reports everything that is
// wrong. Throws RunError for files of the run that cannot be read.
PreparedResume prepare_resume(const std::filesystem::path& run,
                              const std::filesystem::path& checkpoint, const std::string& end,
                              const Request& asked, Diagnostics& problems);

}  // namespace ptp::host
