// A long text as words, each different word stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

class Corpus {
public:
    Corpus() = default;
    ~Corpus() = default;
    Corpus(const Corpus&) = delete;  // numbers_ points into words_
    Corpus& operator=(const Corpus&) = delete;

    void add(std::string_view word) {
        auto found = numbers_.find(word);
        if (found == numbers_.end()) {
            if (words_.size() == std::numeric_limits<uint32_t>::max()) {
                throw std::length_error("more than 2^32 - 1 different words");
            }
            words_.emplace_back(word);
            found = numbers_.emplace(words_.back(), static_cast<uint32_t>(words_.size() - 1)).first;
        }
        tokens_.push_back(found->second);
    }

    // Returns the number of words.
    [[nodiscard]] size_t size() const { return tokens_.size(); }

    [[nodiscard]] const std::string& operator[](size_t place) const {
        return words_[tokens_[place]];
    }

    // Returns consecutive words. REQUIRES: begin + count <= size(). [any]
    [[nodiscard]] std::vector<std::string> words(size_t begin, size_t count) const {
        std::vector<std::string> result;
        result.reserve(count);
        for (size_t place = begin; place < begin + count; ++place) {
            result.push_back((*this)[place]);
        }
        return result;
    }

private:
    std::deque<std::string> words_;  // elements are not moved
    std::unordered_map<std::string_view, uint32_t> numbers_;
    std::vector<uint32_t> tokens_;
};
