// Compares the settings of two builds of a component.
#pragma once

#include "pipeline/signature.hpp"

#include <string>
#include <vector>

namespace ptp::pipeline {

// `prefix` is put before the settings' names: "optimizer." for the members of a table.
void compare_settings(const std::vector<plugin::Setting>& running,
                      const std::vector<plugin::Setting>& offered, const std::string& prefix,
                      std::vector<SignatureDifference>& differences);

}  // namespace ptp::pipeline
