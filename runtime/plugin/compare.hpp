// What a newer build of a plugin means for experiments that use an older one, judged by what both
// declare.
#pragma once

#include "plugin/manifest.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// In the order of how much they break.
enum class Change : std::int32_t {
    kIdentical = 1,
    kWidened,   // all that was accepted is accepted, and computes the same; there is more
    kNarrowed,  // some of what was accepted is refused, before anything runs
    kBreaking   // what uses it is refused, or computes something else, or that cannot be decided
};

// "identical", "widened", "narrowed", "breaking".
std::string_view to_string(Change change);

// A thing that a plugin declares, in both builds or in one of them.
struct Compared {
    std::string component;  // "" for the plugin itself
    std::string kind;       // "plugin", "component", "setting", "stream", "global", "statistic",
                            // "requirement", "ability"
    std::string name;       // "optimizer.learning_rate"
    Change change = Change::kIdentical;
    std::vector<std::string> reasons = {};  // "range was [0, 1), is [0, 0.5]"; none: identical
};

// All that the older build declares, and then what is new, component by component.
std::vector<Compared> compare_builds(const Manifest& older, const Manifest& newer);

// The most that any of them breaks.
Change most(const std::vector<Compared>& compared);

}  // namespace ptp::plugin
