// Versions of packages, as Semantic Versioning 2.0 has them, and which ones a package needs.

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

    // A version before the release is less than the release.
    friend std::strong_ordering operator<=>(const Version& left, const Version& right);
    friend bool operator==(const Version&, const Version&) = default;
};

// nullopt for what is not a version, "1.0" and build metadata ("1.0.0+x") among it.
std::optional<Version> parse_version(std::string_view text);

// REQUIRES: both are versions.
bool is_newer(std::string_view version, std::string_view other);

// What a version must be: "*", or comparisons with commas between them, ">=1.2.0, <2.0.0"; each is
// one of >=, >, <=, <, = and a version.
struct Requirement {
    struct Comparison {
        std::string relation;
        Version version;
    };
    std::vector<Comparison> all;

    [[nodiscard]] bool accepts(const Version& version) const;
    [[nodiscard]] bool accepts(std::string_view version) const;

    // Whether it names a pre-release of the same x.y.z: only who does so is offered one.
    [[nodiscard]] bool names_prerelease_of(const Version& version) const;
};

// nullopt for what is none.
std::optional<Requirement> parse_requirement(std::string_view text);

}  // namespace ptp::pack
