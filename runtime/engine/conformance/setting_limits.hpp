// The values at the limits of settings.

#pragma once

#include "base/value.hpp"
#include "plugin/manifest.hpp"

#include <string>
#include <vector>

namespace ptp::engine {

struct LimitValue {
    const plugin::Setting* setting = nullptr;  // the component's
    std::string path;  // below the component: "width", "border.width", "layers[0].size"
    Value shown;       // the value of `path`
    Value value;       // the component's setting; a whole table for a member
};

// Returns for each setting that is not `given`: the minimum and maximum of its range, both
// booleans, each choice, and lists of the minimum and maximum length. For tables, each member in
// turn, in the table that the component runs with `now`; none for paths and unlimited settings.
[[nodiscard]] std::vector<LimitValue> limit_values(const plugin::Component& component,
                                                   const Value& given, const Value& now);

}  // namespace ptp::engine
