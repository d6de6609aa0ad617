#include "words.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace words_test {

using ptp::support::invalid_utf8_at;
using ptp::support::quoted_names;

namespace {

std::vector<std::string> words(std::string_view text) {
    std::vector<std::string> all;
    ptp::support::for_each_word(text, [&](std::string_view word) { all.emplace_back(word); });
    return all;
}

}  // namespace

TEST_CASE("words: they are what is between white space") {
    CHECK(words("") == std::vector<std::string>{});
    CHECK(words(" \t\r\n") == std::vector<std::string>{});
    CHECK(words("a") == std::vector<std::string>{"a"});
    CHECK(words("  one two\nthree\xC2\xA0 four\xE3\x80\x80") ==
          std::vector<std::string>{"one", "two", "three", "four"});
}

TEST_CASE("words: a text of white space alone has none") {
    for (const char* text : {"", " \t\r\n", "\xC2\xA0\xE3\x80\x80\x1C"}) {
        CAPTURE(text);
        CHECK_FALSE(ptp::support::has_words(text));
    }
    for (const char* text : {"a", " \xC2\xA0.", "\xE2\x80\x8B"}) {  // U+200B has no width
        CAPTURE(text);
        CHECK(ptp::support::has_words(text));
    }
}

// str.isspace() of Python 3.11 for all code points up to U+FFFF, except U+D800 to U+DFFF.
TEST_CASE("words: white space is the same as in Python's str.split()") {
    std::string found;
    for (unsigned c = 1; c < 0x10000; ++c) {
        std::string text;
        if (c < 0x80) {
            text = {static_cast<char>(c)};
        } else if (c < 0x800) {
            text = {static_cast<char>(0xc0 | (c >> 6U)), static_cast<char>(0x80 | (c & 0x3fU))};
        } else {
            text = {static_cast<char>(0xe0 | (c >> 12U)),
                    static_cast<char>(0x80 | ((c >> 6U) & 0x3fU)),
                    static_cast<char>(0x80 | (c & 0x3fU))};
        }
        const std::size_t length = ptp::support::white_space_at(text, 0);
        CHECK((length == 0 || length == text.size()));
        if (length != 0) {
            found += std::to_string(c) + " ";
        }
    }
    CHECK(found ==
          "9 10 11 12 13 28 29 30 31 32 133 160 5760 8192 8193 8194 8195 8196 8197 8198 8199 8200 "
          "8201 8202 8232 8233 8239 8287 12288 ");
}

TEST_CASE("words: a character that is cut off is not white space") {
    CHECK(ptp::support::white_space_at("\xE2\x80", 0) == 0);
    CHECK(ptp::support::white_space_at("\xC2", 0) == 0);
    CHECK(ptp::support::white_space_at("", 0) == 0);
    CHECK(ptp::support::white_space_at("a\xC2\xA0", 1) == 2);
}

TEST_CASE("words: a byte that is not UTF-8 is shown by its number, all else as it is") {
    CHECK(ptp::support::shown_text("caf\xC3\xA9") == "caf\xC3\xA9");
    CHECK(ptp::support::shown_text("caf\xE9/\xFF") == "caf\\xE9/\\xFF");
    CHECK(ptp::support::shown_text("") == "");
}

TEST_CASE("words: names are listed in quotes, with another word before the last") {
    const std::vector<std::string> names = {"a", "b c", "d"};
    CHECK(quoted_names({}) == "");
    CHECK(quoted_names(std::span(names).first(1), " and ") == "'a'");
    CHECK(quoted_names(names) == "'a', 'b c', 'd'");
    CHECK(quoted_names(names, " and ") == "'a', 'b c' and 'd'");
}

TEST_CASE("words: bytes that are not UTF-8 are found where they are") {
    struct Case {
        std::string_view text;
        std::optional<std::size_t> at;
    };
    // The limits of Unicode 15, table 3-7.
    const Case cases[] = {{"", std::nullopt},
                          {"plain", std::nullopt},
                          {"\xC2\x80 \xDF\xBF", std::nullopt},
                          {"\xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80 \xEF\xBF\xBF", std::nullopt},
                          {"\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF", std::nullopt},
                          {"ab\xFF", 2},
                          {"a\x80", 1},
                          {"a\xC1\xBF", 1},          // too long for its value
                          {"a\xE0\x9F\xBF", 1},      // too long for its value
                          {"a\xF0\x8F\xBF\xBF", 1},  // too long for its value
                          {"a\xED\xA0\x80", 1},      // a surrogate
                          {"a\xF4\x90\x80\x80", 1},  // beyond U+10FFFF
                          {"a\xF5\x80\x80\x80", 1},
                          {"a\xC3", 1},
                          {"a\xE2\x82", 1},
                          {"a\xE2\x82x", 1},
                          {"a\xF0\x9F\x98", 1}};
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(invalid_utf8_at(c.text) == c.at);
    }
}

}  // namespace words_test
