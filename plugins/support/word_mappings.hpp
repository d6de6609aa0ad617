// A vocabulary in a global: a table from words to their numbers.
#pragma once

#include <ptp/data.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::support {

class WordMappings {
public:
    // Throws ConfigError that begins with "the global 'NAME': " unless it is a table from words to
    // numbers of 0 or more, different for each word.
    WordMappings(const std::string& global_name, const Data& mappings);

    [[nodiscard]] std::optional<std::int64_t> number_of(std::string_view word) const;
    // Returns null if no word has this number.
    [[nodiscard]] const std::string* word_of(std::int64_t number) const;
    // Returns the highest number plus 1.
    [[nodiscard]] std::int64_t size() const;
    // Returns the words by their numbers.
    [[nodiscard]] const std::map<std::int64_t, std::string>& words() const { return words_; }

private:
    std::map<std::string, std::int64_t, std::less<>> numbers_;
    std::map<std::int64_t, std::string> words_;
};

}  // namespace ptp::support
