// Checks that a global is a table from words to unique numbers, and looks up words and numbers.

#include "word_mappings.hpp"

#include <ptp/error.hpp>

namespace ptp::support {

WordMappings::WordMappings(const std::string& global_name, const Data& mappings) {
    const std::string where = "the global '" + global_name + "': ";
    if (!mappings.is_table()) {
        throw ConfigError(where, "must be a table from words to numbers, is ",
                          mappings.type_name());
    }
    for (const Data::Member& member : mappings.as_table()) {
        if (!member.value.is_integer() || member.value.as_integer() < 0) {
            throw ConfigError(where, "'", member.key, "' is ", member.value.toml(),
                              ", must be a whole number of 0 or more");
        }
        const std::int64_t number = member.value.as_integer();
        const auto [found, is_new] = words_.emplace(number, member.key);
        if (!is_new) {
            throw ConfigError(where, "'", found->second, "' and '", member.key, "' are both ",
                              number);
        }
        numbers_.emplace(member.key, number);
    }
}

std::optional<std::int64_t> WordMappings::number_of(std::string_view word) const {
    const auto found = numbers_.find(word);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* WordMappings::word_of(std::int64_t number) const {
    const auto found = words_.find(number);
    return found == words_.end() ? nullptr : &found->second;
}

std::int64_t WordMappings::size() const {
    return words_.empty() ? 0 : words_.rbegin()->first + 1;
}

}  // namespace ptp::support
