#include "plugin/json_depth.hpp"

#include <algorithm>

namespace ptp::plugin {

std::size_t json_depth(std::string_view text) {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    bool is_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_string) {
            i += c == '\\' ? 1 : 0;  // an escaped character ends nothing
            is_string = c != '"';
        } else if (c == '"') {
            is_string = true;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

}  // namespace ptp::plugin
