// Chooses the part of a data set for a section.
#pragma once

#include <ptp/error.hpp>
#include <ptp/settings.hpp>

#include <cstdint>
#include <optional>
#include <string>

// Returns "a, b and c" for "a|b|c".
inline std::string in_words(const std::string& choices) {
    std::string words;
    for (const char c : choices) {
        words += c == '|' ? ", " : std::string(1, c);
    }
    const auto last = words.rfind(", ");
    return last == std::string::npos ? words : words.replace(last, 2, " and ");
}

// Returns the number of the split in `choices`, "training|validation|test": that of the setting, or
// by default of the section's name. Throws ConfigError if neither determines it.
inline int64_t split_index(const std::optional<std::string>& split, const char* choices,
                           const std::string& section) {
    const int64_t index = ptp::detail::choice_index(choices, split.value_or(section));
    if (index < 0) {
        throw ptp::ConfigError("split: the section '", section, "' is not one of ",
                               in_words(choices), "; set which images to use");
    }
    return index;
}
