#include "base/text.hpp"

#include "base/characters.hpp"

#include "base/shell_words.hpp"

#include <doctest/doctest.h>

#include <string>

namespace text_test {

using namespace ptp;

TEST_CASE("text: what is UTF-8 and what is not") {
    const struct {
        std::string text;
        bool expected;
    } cases[] = {
        {"", true},
        {"plain", true},
        {"caf\xc3\xa9", true},
        {"\xe2\x82\xac", true},       // U+20AC
        {"\xf0\x9f\x98\x80", true},   // U+1F600
        {"\xf4\x8f\xbf\xbf", true},   // U+10FFFF, the last
        {"caf\xe9", false},           // Latin-1
        {"\x80", false},              // a continuation alone
        {"\xc3", false},              // cut off
        {"\xe2\x82", false},          // cut off
        {"\xc0\xaf", false},          // overlong '/'
        {"\xe0\x80\xaf", false},      // overlong
        {"\xf0\x80\x80\xaf", false},  // overlong
        {"\xed\xa0\x80", false},      // a surrogate
        {"\xf4\x90\x80\x80", false},  // beyond U+10FFFF
        {"\xff", false},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(is_utf8(c.text) == c.expected);
    }
}

TEST_CASE("text: names of settings are snake_case, names of types are not") {
    CHECK(is_snake_case("batch_size2"));
    for (const char* wrong : {"", "Batch", "2nd", "_x", "a-b", "a b", "caf\xc3\xa9"}) {
        CAPTURE(wrong);
        CHECK_FALSE(is_snake_case(wrong));
    }
    CHECK(is_type_name("LeNet5"));
    CHECK(is_type_name("lower_case"));
    for (const char* wrong : {"", "5Net", "_Net", "Le Net", "Le-Net", "a/b"}) {
        CAPTURE(wrong);
        CHECK_FALSE(is_type_name(wrong));
    }
}

TEST_CASE("text: control characters are for nobody's terminal") {
    CHECK(is_one_line("a line, caf\xc3\xa9"));
    CHECK_FALSE(is_one_line("two\nlines"));
    CHECK_FALSE(is_one_line("\x1b[2J"));
    CHECK_FALSE(is_one_line("\x7f"));
    CHECK(is_plain("two\nlines\tand a tab"));
    CHECK_FALSE(is_plain("\x1b[2J"));
    CHECK_FALSE(is_plain("\r"));
}

TEST_CASE("text: names from outside are shown without commands for the terminal") {
    CHECK(ptp::harmless("a line\nand\ta tab, caf\xc3\xa9") == "a line\nand\ta tab, caf\xc3\xa9");
    CHECK(ptp::harmless("\x1b]0;owned\x07") == "\\u001b]0;owned\\u0007");
    CHECK(ptp::harmless(std::string_view("a\0b\r", 4)) == "a\\u0000b\\u000d");
    CHECK(ptp::harmless("\xc2\x9b"
                        "2J") == "\\u009b2J");  // U+009B, CSI of C1
    CHECK(ptp::harmless("\xe2\x80\xae"
                        "evil") == "\\u202eevil");  // right to left
    CHECK(ptp::harmless("\xe2\x81\xa6"
                        "x\xe2\x81\xa9") == "\\u2066x\\u2069");
    CHECK(ptp::harmless("\x9b"
                        "2J") == "\\x9b2J");  // not UTF-8
    for (const char* wrong : {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x80\xa8"}) {
        CAPTURE(wrong);
        CHECK_FALSE(is_one_line(wrong));
        CHECK_FALSE(is_plain(wrong));
    }
}

TEST_CASE("text: words of a shell are read as they were written") {
    const std::string word = "pipeline.loss={ type = \"it's\" }";
    const std::string line = "--set " + ptp::shell_word(word) + " --set lr=0.1 trains with it";
    std::string_view rest = line;
    CHECK(ptp::take_shell_word(rest) == "--set");
    CHECK(ptp::take_shell_word(rest) == word);
    CHECK(rest == "--set lr=0.1 trains with it");
    CHECK(ptp::set_options("to train with it, " + line) ==
          std::vector<std::string>{word, "lr=0.1"});
    CHECK(ptp::set_options("leave it out").empty());
}

TEST_CASE("characters: a line is cut between characters and by the columns that they take") {
    CHECK(display_width("loss 0.5") == 8);
    CHECK(display_width("\u4e16\u754c") == 4);
    CHECK(display_width("e\u0301") == 1);
    CHECK(cut_to_width("\u4e16\u754c", 3) == "\u4e16");
    CHECK(cut_to_width("abc", 3) == "abc");
    CHECK(cut_to_width("abc", 2) == "ab");
    CHECK(cut_to_width("abc", 0) == "");
}

}  // namespace text_test
