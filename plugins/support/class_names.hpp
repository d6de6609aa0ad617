// The names of classes, for texts that people read: from the global that the experiment names for
// `word_mappings`, or else those that the task publishes.
#pragma once

#include "word_mappings.hpp"

#include <ptp/component.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::support {

// The globals of a component that uses ClassNames.
inline constexpr Global kNamedClasses =
    reads_if_named("word_mappings",
                   "Names of the classes: a table to their numbers, instead of the task's")
        .purpose(PTP_PURPOSE_CLASS_NAMES);
inline constexpr Global kClassesOfTask =
    reads_if_published("label_word_mappings", "Names of the classes: a table to their numbers")
        .purpose(PTP_PURPOSE_CLASS_NAMES);

class ClassNames {
public:
    // Throws ConfigError if a global is not a table of words.
    explicit ClassNames(const Setup& setup);

    // Returns "cat", or "3" if the class has no name. `classes` is their number, nullopt if
    // unknown. The task's names are used only if their number is equal.
    [[nodiscard]] std::string of(std::int64_t number, std::optional<std::int64_t> classes) const;

    // Returns whether of() has a name for some of `classes` classes.
    [[nodiscard]] bool has_names(std::optional<std::int64_t> classes) const;

    // Returns the number of classes of the names that the experiment requested: the highest number
    // plus 1.
    [[nodiscard]] std::optional<std::int64_t> named_size() const;

private:
    [[nodiscard]] const WordMappings* names_for(std::optional<std::int64_t> classes) const;

    std::optional<WordMappings> named_;
    std::optional<WordMappings> of_task_;
};

}  // namespace ptp::support
