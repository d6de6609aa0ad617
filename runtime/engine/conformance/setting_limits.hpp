// The values at the limits of what settings allow.

#pragma once

#include "base/value.hpp"
#include "plugin/manifest.hpp"

#include <vector>

namespace ptp::engine {

struct LimitValue {
    const plugin::Setting* setting = nullptr;  // of the component
    Value value;
};

// For each setting: the least and the greatest number of its range, both booleans, each choice, and
// lists of the least and the greatest length. Of lists and tables each value in turn; none of paths
// and of what has no limits.
[[nodiscard]] std::vector<LimitValue> limit_values(const plugin::Component& component);

}  // namespace ptp::engine
