#pragma once

#include <cstddef>
#include <string_view>

namespace ptp::plugin {

// Returns the maximum nesting of lists and objects of a JSON text; an arbitrary number if it is not
// JSON. Check it before parsing: with a callback that watches the depth, the parser takes quadratic
// time in the number of objects.
std::size_t json_depth(std::string_view text);

}  // namespace ptp::plugin
