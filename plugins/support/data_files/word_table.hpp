// Collects the words of the training samples, which a task publishes as a vocabulary.
#pragma once

#include <ptp/data.hpp>
#include <words.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ptp::support {

// Words and their indices, by first appearance, as SentenceIndexer and similar components read them
// from a global.
class WordTable {
public:
    void add(std::string_view word) {
        const auto [place, is_new] = known_.emplace(word);
        if (is_new) {
            table_.push_back({*place, static_cast<std::int64_t>(table_.size())});
        }
    }

    // Adds each word of a text, separated by white space.
    void add_text(std::string_view text) {
        for_each_word(text, [&](std::string_view word) { add(word); });
    }

    [[nodiscard]] Data mappings() const { return table_; }

private:
    std::unordered_set<std::string> known_;
    Data::Table table_;
};

}  // namespace ptp::support
