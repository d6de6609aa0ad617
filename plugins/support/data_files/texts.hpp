// Many strings, such as the texts of a data set, in one block of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::support {

class Texts {
public:
    void add(std::string_view text) {
        bytes_ += text;
        ends_.push_back(bytes_.size());
    }

    [[nodiscard]] std::size_t size() const { return ends_.size(); }

    [[nodiscard]] std::string_view operator[](std::size_t place) const {
        const std::size_t begin = place == 0 ? 0 : ends_[place - 1];
        return std::string_view(bytes_).substr(begin, ends_[place] - begin);
    }

    // Returns the texts of the samples with these numbers, in their order.
    [[nodiscard]] std::vector<std::string_view> at(std::span<const std::int64_t> samples) const {
        std::vector<std::string_view> texts;
        texts.reserve(samples.size());
        for (const std::int64_t sample : samples) {
            texts.push_back((*this)[static_cast<std::size_t>(sample)]);
        }
        return texts;
    }

private:
    std::string bytes_;
    std::vector<std::size_t> ends_;
};

}  // namespace ptp::support
