// Streams of text: views of inputs, and a batch to fill for outputs.
#pragma once

#include <ptp/abi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp {

namespace detail {

inline std::string_view string_at(const ptp_text& text, std::uint64_t index) {
    return {text.bytes + text.offsets[index], text.offsets[index + 1] - text.offsets[index]};
}

}  // namespace detail

// A string for each sample. Valid during the call that received it.
class Strings {
public:
    explicit Strings(const ptp_text& text) : text_(&text) {}

    std::size_t size() const { return text_->string_count; }
    std::string_view operator[](std::size_t sample) const {
        return detail::string_at(*text_, sample);
    }

private:
    const ptp_text* text_;
};

// A list of strings for each sample. Valid during the call that received it.
class TokenLists {
public:
    // The tokens of one sample.
    class Tokens {
    public:
        Tokens(const ptp_text& text, std::uint64_t row) : text_(&text), row_(row) {}

        std::size_t size() const { return text_->rows[row_ + 1] - text_->rows[row_]; }
        std::string_view operator[](std::size_t token) const {
            return detail::string_at(*text_, text_->rows[row_] + token);
        }

    private:
        const ptp_text* text_;
        std::uint64_t row_;
    };

    explicit TokenLists(const ptp_text& text) : text_(&text) {}

    std::size_t size() const { return text_->row_count; }
    Tokens operator[](std::size_t sample) const { return {*text_, sample}; }

private:
    const ptp_text* text_;
};

namespace detail {

// Strings or token lists in the layout of the ABI.
class FlatText {
public:
    explicit FlatText(std::span<const std::string> strings) { add_all(strings); }
    explicit FlatText(std::span<const std::string_view> strings) { add_all(strings); }
    explicit FlatText(std::span<const std::vector<std::string>> lists) {
        rows_.push_back(0);
        for (const auto& list : lists) {
            add_all(std::span<const std::string>(list));
            rows_.push_back(offsets_.size() - 1);
        }
    }

    ptp_text view() const {
        return {.bytes = bytes_.data(),
                .offsets = offsets_.data(),
                .string_count = offsets_.size() - 1,
                .rows = rows_.empty() ? nullptr : rows_.data(),
                .row_count = rows_.empty() ? 0 : rows_.size() - 1};
    }

private:
    template <class String>
    void add_all(std::span<const String> strings) {
        for (const String& string : strings) {
            bytes_ += string;
            offsets_.push_back(bytes_.size());
        }
    }

    std::string bytes_;
    std::vector<std::uint64_t> offsets_ = {0};
    std::vector<std::uint64_t> rows_;
};

}  // namespace detail

}  // namespace ptp
