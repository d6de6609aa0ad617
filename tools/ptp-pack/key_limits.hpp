// What the signatures of a trusted key count for, where that is not everything: limits.toml in a
// folder of keys.
//
//     [74EE58946A0D8F97]
//     packages = ["my_loss", "jane_*"]
//     repositories = ["https://example.org/ptp"]

#pragma once

#include "schema/fields.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::pack {

inline constexpr const char* kKeyLimitsFile = "limits.toml";

struct KeyLimits {
    std::vector<std::string> packages;      // patterns of names; none: every package
    std::vector<std::string> repositories;  // addresses and folders; none: from anywhere

    std::vector<schema::Field> fields();

    [[nodiscard]] bool are_none() const { return packages.empty() && repositories.empty(); }
    [[nodiscard]] bool have_package(std::string_view name) const;

    // A repository, or a file in one.
    [[nodiscard]] bool have_location(const std::string& location) const;

    // "the packages jane_*, my_loss from https://example.org/ptp".
    [[nodiscard]] std::string text() const;
};

// By the ids of the keys.
using KeyLimitsById = std::map<std::string, KeyLimits>;

// Of this folder; none where it has no such file. Throws RunError with kConfigurationError.
KeyLimitsById read_key_limits(const std::filesystem::path& folder);
void write_key_limits(const std::filesystem::path& folder, KeyLimitsById limits);

// What is wrong with the pattern of a name, "must be ..."; "" if nothing is.
std::string refuse_pattern(std::string_view pattern);

}  // namespace ptp::pack
