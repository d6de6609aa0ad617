// The rules of ptp/abi.h for a plugin's declarations, beyond what C's types can express.
#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::plugin {

// Returns all problems with their places: "LeNet5: setting 'type': the name is reserved for the
// experiment". Shapes, conditions and ranges are checked elsewhere, where they are used.
std::vector<std::string> check(const Manifest& manifest);

}  // namespace ptp::plugin
