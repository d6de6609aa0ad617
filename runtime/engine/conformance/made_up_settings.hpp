// Values for settings that must be given.

#pragma once

#include "config/value.hpp"
#include "plugin/manifest.hpp"

#include <vector>

namespace ptp::engine {

// A table with a value for each setting that is required and without a default. Left out are those
// for which nothing can be made up, such as the path of a file.
config::Value made_up_settings(const std::vector<plugin::Setting>& settings);

}  // namespace ptp::engine
