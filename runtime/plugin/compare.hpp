// The one comparison of two builds of a plugin, by what both declare: what a newer build means for
// experiments that use the older one, and for a training that is running with it.
#pragma once

#include "plugin/manifest.hpp"

#include <compare>
#include <cstdint>
#include <optional>
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

// The effect of a change on a training that runs with the older build and is offered the newer one.
enum class OnSwap : std::int32_t {
    kNothing,
    kNoted,   // the newer build may refuse the settings of the experiment
    kRefused  // the pipeline and the records of the run are made from what has changed
};

struct SwapRemark {
    std::string text;  // "setting 'rate': range was [0, 1], is [0, 0.5]"
    bool is_refusal = false;
};

// A declaration in both builds or in one of them.
struct Compared {
    std::string component;  // "" for the plugin itself
    std::string kind;       // "plugin", "component", "setting", "stream", "global", "statistic",
                            // "requirement", "ability"
    std::string name;       // "optimizer.learning_rate"
    Change change = Change::kIdentical;
    std::vector<std::string> reasons = {};  // "range was [0, 1), is [0, 0.5]"; none: identical
    std::vector<SwapRemark> on_swap = {};
};

// Returns all declarations of the older build, then the new ones, component by component.
std::vector<Compared> compare_manifests(const Manifest& older, const Manifest& newer);

// Does so for a component of the same name in both builds.
std::vector<Compared> compare_components(const Component& older, const Component& newer);

// Returns the most incompatible change.
Change most(const std::vector<Compared>& compared);

// A version of a plugin, as in Semantic Versioning (https://semver.org): "1.4.0".
struct VersionNumber {
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    std::uint64_t patch = 0;

    // Ignores the text after the three numbers: "2.0.0-rc.1" is 2.0.0. Returns nullopt for a text
    // that does not begin with three numbers.
    static std::optional<VersionNumber> parse(std::string_view text);

    [[nodiscard]] std::string text() const;

    // Returns the smallest version that a build with this change may have. Before 1.0.0 the minor
    // number counts as the major one, and before 0.1.0 the patch number does, as in Cargo.
    [[nodiscard]] VersionNumber after(Change change) const;

    friend auto operator<=>(const VersionNumber&, const VersionNumber&) = default;
};

}  // namespace ptp::plugin
