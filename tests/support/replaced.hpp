// Texts without what differs from run to run, such as the folder of a test.
#pragma once

#include <cstddef>
#include <string>

namespace ptp::test {

// Each occurrence replaced; there may be none.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); !from.empty() && at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

}  // namespace ptp::test
