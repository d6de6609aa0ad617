// The rules of ptp/abi.h about what a plugin may declare, beyond what C's types can express.
#pragma once

#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::plugin {

// All problems, each with its place: "LeNet5: setting 'type': the name is reserved for the
// experiment". Shapes, conditions and ranges are not read here: that is done where they are used.
std::vector<std::string> check(const Manifest& manifest);

}  // namespace ptp::plugin
