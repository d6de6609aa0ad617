// Reads the tables `optimizer` and `scheduler` of [training]; their types are in
// experiment/optimizer/optimizers.hpp and experiment/schedule/schedules.hpp.

#pragma once

#include "experiment/experiment.hpp"
#include "experiment/fields.hpp"

namespace ptp::experiment {

void read_optimizer(const Scope& scope, Optimization& optimization);
Value write_optimizer(const Optimization& optimization);

// Reads the scheduler, after read_optimizer(): its valid options depend on the optimizer.
void read_scheduler(const Scope& scope, Optimization& optimization);

// Warns about a momentum that a schedule replaces, and a schedule without effect. `training` is the
// scope of both tables.
void warn_of_unused_options(const Scope& training, const Optimization& optimization);

}  // namespace ptp::experiment
