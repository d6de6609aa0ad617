#include "common/excerpt.hpp"

#include <doctest/doctest.h>

#include <string>

namespace excerpt_test {

using namespace ptp::tools;

TEST_CASE("excerpt: the mark is below the value or key that is meant, to its end") {
    struct Case {
        const char* line;
        int column;
        const char* mark;
    };
    const Case cases[] = {
        {"lr = 0.1", 6, "     ^~~"},
        {"lr = 0.1  # slow", 6, "     ^~~"},
        {"lr = -1e-3,", 6, "     ^~~~~"},
        {"training.optimizer.lr = 0", 10, "         ^~~~~~~~~"},
        {"name = \"a \\\" b\" # c", 8, "       ^~~~~~~~"},
        {"name = 'a b'", 8, "       ^~~~~"},
        {"name = \"a b", 8, "       ^~~~"},
        {"sizes = [1, [2, \"]\"], 3] # all", 9, "        ^~~~~~~~~~~~~~~~"},
        {"sizes = [1, 2,  # more", 9, "        ^~~~~~"},
        {"conv = { size = 3, step = 2 }", 10, "         ^~~~"},
        {"conv = { size = 3, step = 2 }", 17, "                ^"},
        {"[pipeline.net]  # it", 1, "^~~~~~~~~~~~~~"},
        {"lr = true", 6, "     ^~~~"},
        {"lr =", 5, "    ^"},
        {"lr =", 50, "    ^"},
        {"", 1, "^"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.line);
        CHECK(excerpt_of(c.line, c.column, 80).line == c.line);
        CHECK(excerpt_of(c.line, c.column, 80).mark == c.mark);
    }
}

TEST_CASE("excerpt: tabs, wide characters and combining marks move the mark as far as the text") {
    const Excerpt tabs = excerpt_of("\t\tlr = 2", 8, 80);
    CHECK(tabs.line == "        lr = 2");
    CHECK(tabs.mark == "             ^");
    const Excerpt inner = excerpt_of("lr\t= 2", 6, 80);
    CHECK(inner.line == "lr  = 2");
    CHECK(inner.mark == "      ^");
    // Two columns for each of these two characters.
    const Excerpt wide = excerpt_of("x = \"\u4e16\u754c\", lr = 2", 15, 80);
    CHECK(wide.mark == "                ^");
    CHECK(excerpt_of("x = \"\u4e16\u754c\"", 5, 80).mark == "    ^~~~~~");
    // e with a mark of its own, which takes no column.
    CHECK(excerpt_of("e\u0301 = 2", 6, 80).mark == "    ^");
    CHECK(excerpt_of("\u00e9 = 2", 5, 80).mark == "    ^");
}

TEST_CASE("excerpt: what a terminal would obey is not sent to it") {
    const Excerpt excerpt = excerpt_of("a = \"\x1b[2J\" # \xff\x07", 5, 80);
    CHECK(excerpt.line == "a = \"\ufffd[2J\" # \ufffd\ufffd");
    CHECK(excerpt.mark == "    ^~~~~~");
}

TEST_CASE("excerpt: of a very long line the part around the mark is shown") {
    const std::string before(1000, 'a');
    const std::string after(1000, 'b');
    const Excerpt middle = excerpt_of(before + " = 7, " + after, 1004, 40);
    CHECK(middle.line == "...aaaaaaaa = 7, bbbbbbbbbbbbbbbbbbbb...");
    CHECK(middle.mark == "              ^");
    const Excerpt begin = excerpt_of("x = 7, " + after, 5, 40);
    CHECK(begin.line == "x = 7, bbbbbbbbbbbbbbbbbbbbbbbbbbb...");
    CHECK(begin.mark == "    ^");
    const Excerpt end = excerpt_of(before + " = 7", 1004, 40);
    CHECK(end.line == "...aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = 7");
    CHECK(end.mark == "                                    ^");
    const Excerpt long_value = excerpt_of("x = \"" + after + "\"", 5, 40);
    CHECK(long_value.line.size() <= 40);
    CHECK(long_value.mark.size() <= 40);
    for (std::size_t width = 0; width < 20; ++width) {
        CHECK(excerpt_of(before + after, 1000, width).mark.size() <= 10 + width);
    }
}

}  // namespace excerpt_test
