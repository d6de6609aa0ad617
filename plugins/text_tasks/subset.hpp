// Which of the parts train, valid and test a section has.
#pragma once

#include <ptp/error.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>

// The setting's, or the section's where it is not given: training, validation or test. Throws
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
