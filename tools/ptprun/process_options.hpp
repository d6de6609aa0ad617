// How many processes train together, and which of them this one is.

#pragma once

#include "commands.hpp"
#include "distributed/place.hpp"

#include <string_view>
#include <vector>

namespace ptp::ptprun {

// --nproc, --restarts and --min-nproc.
std::vector<Option> process_options();

// Whether this process starts those that train, in place of training itself. Throws UsageError
// where others have started several of it already.
bool starts_processes(const Given& given);

// The place of this process in a training, with as many threads as keep the cores of the host busy
// where their number is not set. With --nproc 1 whatever the environment has is ignored. Throws
// RunError for an environment that contradicts itself. [main], before the engine is opened
distributed::Place training_place(const Given& given);

// That of the environment, which what this process starts from here on does not have any more: each
// of them trains by itself. [main]
distributed::Place leave_place();

// For what one process does: throws UsageError where several of this one were started to do it
// together. `what` is "ptprun predict".
void require_one_process(std::string_view what);

}  // namespace ptp::ptprun
