// Vocabularies that tasks publish: the words of their training's samples.
#pragma once

#include <ptp/data.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ptp::support {

// Words and their indices, by first appearance, as SentenceIndexer and its like take them from a
// global.
class WordTable {
public:
    void add(std::string_view word) {
        const auto [place, is_new] = known_.emplace(word);
        if (is_new) {
            table_.push_back({*place, static_cast<std::int64_t>(table_.size())});
        }
    }

    [[nodiscard]] Data mappings() const { return table_; }

private:
    std::unordered_set<std::string> known_;
    Data::Table table_;
};

}  // namespace ptp::support
