// Chooses the part train, valid or test for a section.
#pragma once

#include <ptp/error.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>

// Returns the setting's subset, or by default the section's: training, validation or test. Throws
// ConfigError for other sections.
inline std::string subset_of(const std::optional<std::string>& subset, const std::string& section) {
    constexpr std::array<std::pair<const char*, const char*>, 3> kSubsets{
        {{"training", "train"}, {"validation", "valid"}, {"test", "test"}}};
    if (subset) {
        return *subset;
    }
    for (const auto& [its_section, its_subset] : kSubsets) {
        if (section == its_section) {
            return its_subset;
        }
    }
    throw ptp::ConfigError("subset: the section '", section,
                           "' is not one of training, validation and test; set which to use: "
                           "train, valid or test");
}
