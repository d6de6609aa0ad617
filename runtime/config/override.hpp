// `--set key.path=value`: values from the command line.

#pragma once

#include "config/diagnostics.hpp"
#include "config/value.hpp"

#include <string>

namespace ptp::config {

// Lays one override over the tree. The path is a TOML key, "a.b" or a."b c"; a number selects an
// item of a list. The value is TOML, or taken as a string where it is not.
void apply_override(const std::string& text, Value& root, Diagnostics& problems);

}  // namespace ptp::config
