// What commands take that train experiments.

#pragma once

#include "commands.hpp"
#include "prepare.hpp"

#include <vector>

namespace ptp::ptprun {

std::vector<Option> training_options();

// With --seed, --device, --worker, --fold and the trials. Throws UsageError.
Request training_request(const Given& given);

}  // namespace ptp::ptprun
