// Versions of plugins, as in Semantic Versioning (https://semver.org): "1.4.0".
#pragma once

#include "plugin/compare.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::plugin {

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
