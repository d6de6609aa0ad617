// The effect of a newer build of a plugin on experiments that use an older one, judged by the
// declarations of both.
#pragma once

#include "plugin/manifest.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The kinds of changes, in ascending order of incompatibility.
enum class Change : std::int32_t {
    kIdentical = 1,
    kWidened,   // accepts and computes all that it did before, and more
    kNarrowed,  // rejects some of what was accepted, before anything runs
    kBreaking   // rejects its users, or computes something else, or may do so
};

// "identical", "widened", "narrowed", "breaking".
std::string_view to_string(Change change);

// A declaration in both builds or in one of them.
struct Compared {
    std::string component;  // "" for the plugin itself
    std::string kind;       // "plugin", "component", "setting", "stream", "global", "statistic",
                            // "requirement", "ability"
    std::string name;       // "optimizer.learning_rate"
    Change change = Change::kIdentical;
    std::vector<std::string> reasons = {};  // "range was [0, 1), is [0, 0.5]"; none: identical
};

// Returns all declarations of the older build, then the new ones, component by component.
std::vector<Compared> compare_builds(const Manifest& older, const Manifest& newer);

// Returns the most incompatible change.
Change most(const std::vector<Compared>& compared);

}  // namespace ptp::plugin
