// The options of commands that train experiments.

#pragma once

#include "commands.hpp"
#include "host/prepare.hpp"

#include <vector>

namespace ptp::ptprun {

std::vector<Option> training_options();

// Applies --seed, --device, --worker, --fold and the options for trials. Throws UsageError.
host::Request training_request(const Given& given);

}  // namespace ptp::ptprun
