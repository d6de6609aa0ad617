// The engine's request for commands that train an experiment.

#pragma once

#include "commands.hpp"
#include "engine/request.hpp"
#include "git_state.hpp"
#include "host/prepare.hpp"

namespace ptp::ptprun {

// Returns the request for one training, with the options of training_options.hpp. `prepared` has a
// plan and must outlive the request; `git` queries the state of the experiment's file, best as the
// first step.
engine::RunRequest training_job(const Given& given, const host::Prepared& prepared,
                                GitStateQuery& git);

}  // namespace ptp::ptprun
