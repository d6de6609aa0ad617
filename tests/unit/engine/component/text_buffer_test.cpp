#include "engine/component/slot.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace text_buffer_test {

using ptp::engine::TextBuffer;

namespace {

std::string_view string_at(const ptp_text& text, std::uint64_t i) {
    return {text.bytes + text.offsets[i], text.offsets[i + 1] - text.offsets[i]};
}

}  // namespace

TEST_CASE("text buffer: it keeps a copy, which stays right when the buffer moves") {
    std::uint64_t offsets[] = {0, 3, 3, 8};
    TextBuffer buffer;
    CHECK_FALSE(buffer.is_written());
    buffer.assign({"onethree", offsets, 3, nullptr, 0});
    offsets[1] = 99;
    TextBuffer moved = std::move(buffer);
    CHECK(moved.is_written());
    CHECK(moved.string_count == 3);
    CHECK(string_at(moved, 0) == "one");
    CHECK(string_at(moved, 1) == "");
    CHECK(string_at(moved, 2) == "three");
    CHECK(moved.rows == nullptr);
    moved.clear();
    CHECK_FALSE(moved.is_written());
}

TEST_CASE("text buffer: broken offsets and rows are refused") {
    const std::uint64_t good[] = {0, 1, 2};
    const std::uint64_t late[] = {1, 2, 3};
    const std::uint64_t falling[] = {0, 2, 1};
    const std::uint64_t short_rows[] = {0, 1};
    struct Case {
        ptp_text text;
        const char* message;
    };
    const Case cases[] = {
        {{"ab", nullptr, 2, nullptr, 0}, "text: offsets is NULL"},
        {{"abc", late, 2, nullptr, 0}, "text: offsets must begin with 0"},
        {{"ab", falling, 2, nullptr, 0}, "text: offsets must not fall"},
        {{nullptr, good, 2, nullptr, 0}, "text: bytes is NULL"},
        {{"ab", good, 2, falling, 2}, "text: rows must not fall"},
        {{"ab", good, 2, short_rows, 1}, "text: the last of rows must be the number of strings"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.message);
        TextBuffer buffer;
        CHECK_THROWS_WITH_AS(buffer.assign(c.text), c.message, std::invalid_argument);
        CHECK_FALSE(buffer.is_written());
    }
}

}  // namespace text_buffer_test
