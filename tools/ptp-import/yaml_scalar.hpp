// Interprets plain scalars of YAML 1.1 by the rules of PyYAML's safe loader.

#pragma once

#include "base/value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ptp::importer {

// Returns whether the text is "", "~" or "null".
bool is_null_scalar(std::string_view text);

// Returns a boolean (yes and off too), an integer (also 0x1f, 0b1, 017 and 1_000), a real or else a
// string. Unlike in PyYAML, where it is text, 1e-3 is a real: no experiment means text by it.
Value plain_scalar(const std::string& text);

}  // namespace ptp::importer
