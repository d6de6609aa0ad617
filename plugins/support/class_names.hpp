// Names of classes: from the global that `word_mappings` names, else the task's.
#pragma once

#include "word_mappings.hpp"

#include <ptp/component.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace ptp::support {

// What a component that uses ClassNames declares.
inline constexpr Global kNamedClasses = reads_if_named(
    "word_mappings", "Names of the classes: a table to their numbers, instead of the task's");
inline constexpr Global kClassesOfTask =
    reads_if_published("label_word_mappings", "Names of the classes: a table to their numbers");

class ClassNames {
public:
    // Throws ConfigError if a global is not a table of words.
    explicit ClassNames(const Setup& setup);

    // "cat", or "3" where the class has no name. `classes`: their number, nullopt if not known. The
    // task's names are used for as many classes only: other ones are not the task's.
    [[nodiscard]] std::string of(std::int64_t number, std::optional<std::int64_t> classes) const;

    // Whether of() has a name for some of N classes.
    [[nodiscard]] bool has_names(std::optional<std::int64_t> classes) const;

    // Of the names that the experiment asked for: the highest number and one.
    [[nodiscard]] std::optional<std::int64_t> named_size() const;

private:
    [[nodiscard]] const WordMappings* names_for(std::optional<std::int64_t> classes) const;

    std::optional<WordMappings> named_;
    std::optional<WordMappings> of_task_;
};

}  // namespace ptp::support
