#include "base/toml_reader.hpp"

#include <doctest/doctest.h>

#include <string>

namespace toml_reader_test {

using namespace ptp;

namespace {

std::string problems_of_text(const std::string& text) {
    Diagnostics problems;
    const auto value = read_toml(text, "x.toml", problems);
    CHECK(value.has_value() == problems.ok());
    return problems.text();
}

}  // namespace

TEST_CASE("toml: keys and values keep their places and keys their order") {
    Diagnostics problems;
    const auto root =
        read_toml("z = 1\n[a.b]\nx = 2\n[l]\nq = [1, [true, 'b'],\n  0.5]\n", "x.toml", problems);
    REQUIRE(root);
    CHECK(root->members()[0].key == "z");
    CHECK(root->members()[1].key == "a");
    CHECK(root->members()[2].key == "l");
    CHECK(root->place() == SourceLocation("x.toml", 0, 0));
    CHECK(root->members()[0].key_place == SourceLocation("x.toml", 1, 1));
    CHECK(root->find("z")->place() == SourceLocation("x.toml", 1, 5));
    CHECK(root->find_path("a.b")->place() == SourceLocation("x.toml", 2, 1));
    CHECK(root->find_path("a.b.x")->place() == SourceLocation("x.toml", 3, 5));
    const Value& list = *root->find_path("l.q");
    CHECK(list == Value::list({1, Value::list({true, "b"}), 0.5}));
    CHECK(list.items()[2].place() == SourceLocation("x.toml", 6, 3));
}

TEST_CASE("toml: mistakes in the text are said in plain words, with their place") {
    struct Case {
        std::string text;
        const char* message;
    };
    const Case cases[] = {
        {"a = hello",
         "x.toml:1:5: not valid TOML: not a TOML value; a string needs quotes\n"
         "    fix: write \"hello\""},
        {"a = { b = my net, c = 1 }",
         "x.toml:1:11: not valid TOML: not a TOML value; a string needs quotes\n"
         "    fix: write \"my net\""},
        {"a = index",
         "x.toml:1:7: not valid TOML: not a TOML value; a string needs quotes\n"
         "    fix: write \"index\""},
        {"a = None",
         "x.toml:1:5: not valid TOML: not a TOML value; a string needs quotes\n"
         "    fix: leave the key out"},
        {"a = True",
         "x.toml:1:5: not valid TOML: not a TOML value; a string needs quotes, booleans are true "
         "and false\n    fix: write true"},
        {"a = False",
         "x.toml:1:5: not valid TOML: not a TOML value; a string needs quotes, booleans are true "
         "and false\n    fix: write false"},
        {"name = flowers",
         "x.toml:1:9: not valid TOML: not a TOML value; a string needs quotes, booleans are true "
         "and false\n    fix: write \"flowers\""},
        {"a = \u201cx\u201d",
         "x.toml:1:5: '\u201c' is a typographic quote: texts are between straight ones, \"like "
         "this\""},
        {"a =", "x.toml:1:4: not valid TOML: the text ends within a key-value pair"},
        {"a = [1,2", "x.toml:1:9: not valid TOML: the text ends within an array"},
        {"a: 1",
         "x.toml:1:2: not valid TOML: a key is followed by '=', not by ':'\n"
         "    fix: write = in place of :"},
        {"a = { 'x', b = 1 }",
         "x.toml:1:10: not valid TOML: each value in a table has a key, as { key = value }"},
        {"a = [1, None]",
         "x.toml:1:9: not valid TOML: not a TOML value; a string needs quotes\n"
         "    fix: leave the item out"},
        {"a = [\n  [1],\n  null]",
         "x.toml:3:4: not valid TOML: not a TOML value; a string needs quotes\n"
         "    fix: leave the item out"},
        {"a = { b = [1], c = None }",
         "x.toml:1:20: not valid TOML: not a TOML value; a string needs quotes\n"
         "    fix: leave the key out"},
        {"a = torch.optim.Adam(lr=0.01, amsgrad=true)",
         "x.toml:1:6: not valid TOML: not a TOML value; a string needs quotes, booleans are true "
         "and false\n    fix: write { type = \"Adam\", lr = 0.01, amsgrad = true }"},
        {"a = Adam(net.parameters())",
         "x.toml:1:5: not valid TOML: not a TOML value; a string needs quotes"},
        {"a = 1e-3f",
         "x.toml:1:9: not valid TOML: '1e-3f' is not a number here\n    fix: write 1e-3"},
        {"a = { b = .5 }",
         "x.toml:1:11: not valid TOML: '.5' is not a number here\n    fix: write 0.5"},
        {"a = [1., 2]",
         "x.toml:1:8: not valid TOML: '1.' is not a number here\n    fix: write 1.0"},
        {"a = 1\na = 2",
         "x.toml:2:5: not valid TOML: 'a' was already given above\n    fix: remove one of the two"},
        {"a = 1\na.b = 2",
         "x.toml:2:1: not valid TOML: the key before the dot was already given above, with a value"},
        {"[a]\n[a]",
         "x.toml:2:1: not valid TOML: 'a' was already given above\n"
         "    fix: write all keys below one of the two, or give one another name where names are "
         "free, as of components"},
        {"a = 1\n[a]",
         "x.toml:2:1: not valid TOML: 'a' was already given above\n"
         "    fix: write all keys below one of the two, or give one another name where names are "
         "free, as of components"},
        {"a = \"x\nb = 1",
         "x.toml:1:7: not valid TOML: the string has no closing quote on its line, or holds a "
         "control character\n    fix: write \"x\""},
        {"a = \"C:\\data\\x.csv\"",
         "x.toml:1:9: not valid TOML: a backslash in double quotes begins a special character\n"
         "    fix: write 'C:\\data\\x.csv'"},
        {"a = [\"C:\\Users\\x.csv\"]",
         "x.toml:1:11: not valid TOML: a backslash in double quotes begins a special character\n"
         "    fix: write 'C:\\Users\\x.csv'"},
        {"[a.b\nc = 1",
         "x.toml:1:5: not valid TOML: in a table header: expected ']', saw '\\n'\n    fix: write [a.b]"},
        {"[a] # first\nb 32 # of them",
         "x.toml:2:3: not valid TOML: in a key-value pair: expected '=', saw '3'\n"
         "    fix: write b = 32 # of them"},
        {"a = { b = \"x\" c = 1 }",
         "x.toml:1:15: not valid TOML: in an inline table: expected comma or closing '}', saw 'c'\n"
         "    fix: write a comma before c"},
        {"a = [1 2]",
         "x.toml:1:8: not valid TOML: in an array: expected comma or closing ']', saw '2'\n"
         "    fix: write a comma before 2"},
        {"a = 1 b", "x.toml:1:7: not valid TOML: only a comment may follow on this line"},
        {"a = 1,5",
         "x.toml:1:6: not valid TOML: a comma is not a decimal point\n    fix: write 1.5, or [1, 5]"},
        {"ok = 1\na = -0,001 # small",
         "x.toml:2:7: not valid TOML: a comma is not a decimal point\n    fix: write -0.001"},
        {"a = { t = \"x\", lr = 0,001 }",
         "x.toml:1:22: not valid TOML: a comma is not a decimal point\n    fix: write 0.001"},
        {"a = { lr = 1,5e-3, b = 2 }",
         "x.toml:1:13: not valid TOML: a comma is not a decimal point\n    fix: write 1.5e-3, or [1, 5e-3]"},
        {"a = 1, 5",
         "x.toml:1:6: not valid TOML: a comma is not a decimal point\n    fix: write [1, 5]"},
        {"sizes = 64,128",
         "x.toml:1:11: not valid TOML: a comma is not a decimal point\n"
         "    fix: write [64, 128], or 64128, or 64.128"},
        {"a = \"x\", \"y\" # both",
         "x.toml:1:8: not valid TOML: the items of a list are in [ ]\n    fix: write [\"x\", \"y\"]"},
        {"a = { b = 0.5, 1, c = 2 }",
         "x.toml:1:14: not valid TOML: a comma is not a decimal point\n    fix: write [0.5, 1]"},
        {"a = x,5",
         "x.toml:1:5: not valid TOML: not a TOML value; a string needs quotes\n    fix: write "
         "\"x\""},
        {"a = 99999999999999999999",
         "x.toml:1:25: not valid TOML: the number is too large for an integer"},
        {"a = 1e999", "x.toml:1:10: not valid TOML: the number is too large for a real"},
        {"a = {b = 1,}", "x.toml:1:12: not valid TOML: a comma before the closing '}'; remove it"},
        {"[ =]", "x.toml:1:3: not valid TOML: a key is expected here"},
        {"a = {=1}",
         "x.toml:1:6: not valid TOML: in an inline table: expected key or closing '}', saw '='"},
        {"[]", "x.toml:1:2: not valid TOML: a table needs a name between its brackets"},
        {"$ = 1",
         "x.toml:1:1: not valid TOML: expected keys, tables, whitespace or comments, saw '$'"},
        {"a = 1979-05-27",
         "x.toml:1:5: dates and times have no use here; put quotes around a string"},
        {"a = [07:32:00]",
         "x.toml:1:6: dates and times have no use here; put quotes around a string"},
        {"ok = 1\nb = \"\xff\"", "x.toml:2:6: not UTF-8 text (byte 0xff)"},
        {"# \xc3", "x.toml:1:3: not UTF-8 text (byte 0xc3)"},
        {"\xef\xbb\xbf# \u00e9\na = \"\u00e9\"\n\u00e9 = 1",
         "x.toml:3:1: '\u00e9' outside of quotes: a key or a text with it needs them"},
        {"a = \"\"\"x\\\u00e9\"\"\"",
         "x.toml:1:10: not valid TOML: in a string: unknown escape sequence '\\\u00e9'"},
        {"a\u0390 = 1",
         "x.toml:1:2: '\u0390' outside of quotes: a key or a text with it needs them"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_of_text(c.text) == c.message);
    }
}

TEST_CASE("toml: a line of a text that continues the next one may continue with any letter") {
    // The last two stand in the library's table beside characters that are blanks.
    for (const std::string letter : {"\u00a1", "\u00e9", "\u0416", "\u0499", "\u3001", "\ufe8d"}) {
        CAPTURE(letter);
        const auto value = read_toml_value("\"\"\"x\\\n  " + letter + "y\"\"\"");
        REQUIRE(value);
        CHECK(value->as_string() == "x" + letter + "y");
    }
}

TEST_CASE("toml: every date is reported, not only the first") {
    CHECK(problems_of_text("a = 1979-05-27\nb = 07:32:00") ==
          "x.toml:1:5: dates and times have no use here; put quotes around a string\n"
          "x.toml:2:5: dates and times have no use here; put quotes around a string");
}

namespace {

std::string repeated(const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) {
        text += part;
    }
    return text;
}

}  // namespace

TEST_CASE("toml: text that would exhaust the stack is refused") {
    const std::string many_parts = "x.toml:1:65: a key of more than 32 parts";
    CHECK(problems_of_text("a" + repeated(".a", 100000) + " = 1") == many_parts);
    CHECK(problems_of_text("[" + repeated("a.", 100000) + "a]") ==
          "x.toml:1:66: a key of more than 32 parts");
    // The quotes end before the key: the text of the string is `x"`.
    CHECK(problems_of_text("a = [\"\"\"x\"\"\"\", {" + repeated("a.", 100000) + "a = 1}]") ==
          "x.toml:1:81: a key of more than 32 parts");
    CHECK(problems_of_text("a" + repeated(".a", 31) + " = 1") == "");
    CHECK(problems_of_text("a = \"" + repeated("a.", 1000) + "\" # " + repeated("a.", 1000)) == "");
    CHECK(problems_of_text("a = [" + repeated("0.5, ", 1000) + "]") == "");
    CHECK(problems_of_text("a = " + repeated("[", 100000)) ==
          "x.toml:1:37: not valid TOML: nested more than 32 levels deep");
}

TEST_CASE("toml: values may lie 32 levels deep and no deeper") {
    // 31 tables, or 31 lists, around the number on level 32.
    CHECK(problems_of_text("a" + repeated(".a", 31) + " = 1") == "");
    CHECK(problems_of_text("a = " + repeated("[", 31) + "1" + repeated("]", 31)) == "");
    CHECK(problems_of_text("a" + repeated(".a", 31) + " = [1]") ==
          "x.toml:1:68: nested more than 32 levels deep");
    CHECK(problems_of_text("a = " + repeated("[", 32) + "1" + repeated("]", 32)) ==
          "x.toml:1:37: not valid TOML: nested more than 32 levels deep");
}

TEST_CASE("toml: a value on its own is read, anything else is none") {
    CHECK(*read_toml_value("0.5") == Value(0.5));
    CHECK(*read_toml_value("[1, 'a']") == Value::list({1, "a"}));
    CHECK(read_toml_value("{ a = 1 }")->find("a")->place() == SourceLocation("--set", 0, 0));
    CHECK_FALSE(read_toml_value("hello"));
    CHECK_FALSE(read_toml_value(""));
    CHECK_FALSE(read_toml_value("1\nother = 2"));
    CHECK_FALSE(read_toml_value("1979-05-27"));
}

}  // namespace toml_reader_test
