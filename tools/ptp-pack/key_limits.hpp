// Limits of what a trusted key may sign: limits.toml in a folder of keys.
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
    std::vector<std::string> packages;      // patterns of names; empty: all packages
    std::vector<std::string> repositories;  // addresses and folders; empty: any

    std::vector<schema::Field> fields();

    [[nodiscard]] bool are_none() const { return packages.empty() && repositories.empty(); }
    [[nodiscard]] bool have_package(std::string_view name) const;

    // Returns whether the limits allow a repository, or a file in one.
    [[nodiscard]] bool have_location(const std::string& location) const;

    // Returns "the packages jane_*, my_loss from https://example.org/ptp".
    [[nodiscard]] std::string text() const;
};

// Limits by the ids of the keys.
using KeyLimitsById = std::map<std::string, KeyLimits>;

// Returns the limits in this folder; empty if it has no such file. Throws RunError with
// kConfigurationError.
KeyLimitsById read_key_limits(const std::filesystem::path& folder);
void write_key_limits(const std::filesystem::path& folder, KeyLimitsById limits);

// Returns the error in the pattern of a name, "must be ..."; "" if there is none.
std::string refuse_pattern(std::string_view pattern);

}  // namespace ptp::pack
