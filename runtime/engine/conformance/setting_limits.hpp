// The values at the limits of what settings allow.

#pragma once

#include "base/value.hpp"
#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

struct LimitValue {
    const plugin::Setting* setting = nullptr;  // of the component
    std::string path;  // below the component: "width", "border.width", "layers[0].size"
    Value shown;       // what `path` has
    Value value;       // of the component's setting, a whole table for a member
};

// For each setting that is not `given`: the least and the greatest number of its range, both
// booleans, each choice, and lists of the least and the greatest length. Of tables each member in
// turn, in the table that the component runs with `now`; none of paths and of what has no limits.
[[nodiscard]] std::vector<LimitValue> limit_values(const plugin::Component& component,
                                                   const Value& given, const Value& now);

}  // namespace ptp::engine
