// Versions of packages by Semantic Versioning 2.0, and requirements for them.

#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

struct Version {
    std::array<std::uint64_t, 3> numbers{};
    std::vector<std::string> prerelease;  // "1.0.0-rc.1": "rc" and "1"

    // A pre-release is less than its release.
    friend std::strong_ordering operator<=>(const Version& left, const Version& right);
    friend bool operator==(const Version&, const Version&) = default;
};

// Returns nullopt for anything but a version, including "1.0" and build metadata ("1.0.0+x").
std::optional<Version> parse_version(std::string_view text);

// Returns whether `version` is newer. REQUIRES: both are versions.
bool is_newer(std::string_view version, std::string_view other);

// REQUIRES: it is a version.
bool is_prerelease(std::string_view version);

// A requirement for a version: "*", or comparisons separated by commas, ">=1.2.0, <2.0.0"; each is
// one of >=, >, <=, <, = and a version.
bool is_requirement(std::string_view text);

// Returns whether the version meets the requirement. REQUIRES: both are what they are called.
bool accepts(std::string_view requirement, std::string_view version);

}  // namespace ptp::pack
