// What the engine is asked for by commands that train an experiment.

#pragma once

#include "commands.hpp"
#include "engine/request.hpp"
#include "git_state.hpp"
#include "host/prepare.hpp"

namespace ptp::ptprun {

// One training, with the options of training_options.hpp. `prepared` has a plan and must outlive
// the request; `git` is asked about the file of the experiment, best before anything else is done.
engine::RunRequest training_job(const Given& given, const host::Prepared& prepared,
                                GitStateQuery& git);

}  // namespace ptp::ptprun
