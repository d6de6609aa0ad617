// What the engine is asked for by commands that train an experiment.

#pragma once

#include "commands.hpp"
#include "engine/request.hpp"
#include "host/prepare.hpp"

namespace ptp::ptprun {

// One training, with the options of training_options.hpp. `prepared` has a plan and must outlive
// the request.
engine::RunRequest training_job(const Given& given, const host::Prepared& prepared);

}  // namespace ptp::ptprun
