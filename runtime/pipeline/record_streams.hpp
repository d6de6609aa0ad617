// Whether the streams that [records] names can be recorded.

#pragma once

#include "base/diagnostics.hpp"
#include "experiment/records.hpp"
#include "pipeline/plan.hpp"

namespace ptp::pipeline {

// Reports names that no stream has, and streams that are not images.
void check_record_streams(const experiment::Records& records, const Plan& plan,
                          Diagnostics& problems);

}  // namespace ptp::pipeline
