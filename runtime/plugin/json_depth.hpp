#pragma once

#include <cstddef>
#include <string_view>

namespace ptp::plugin {

// How many lists and objects of a JSON text lie in each other, at most. To be asked before the text
// is parsed: with a callback that watches the depth, the parser takes a time that grows with the
// square of the number of objects. Of what is not JSON it is some number.
std::size_t json_depth(std::string_view text);

}  // namespace ptp::plugin
