#include "schema/check_value.hpp"

#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <doctest/doctest.h>

#include <string>

namespace check_value_test {

namespace {

using namespace ptp;
using schema::Form;
using schema::Key;

// What a reader gets for the value, or what is wrong with it.
std::string checked(const Key& key, const char* toml) {
    Diagnostics problems;
    const std::filesystem::path home = "/home/ada";
    const auto value = read_toml_value(toml, {"x.toml", 1, 1});
    REQUIRE(value);
    const auto result = schema::check_value(key, *value, "a", {home, problems});
    return result ? inline_toml(*result) : problems.text();
}

}  // namespace

TEST_CASE("check value: values reach their reader in the declared form") {
    CHECK(checked({.name = "a", .form = Form::kReal}, "1") == "1.0");
    CHECK(checked({.name = "a", .form = Form::kInteger, .list_depth = 1, .takes_one = true}, "1") ==
          "[1]");
    CHECK(checked({.name = "a", .form = Form::kPath}, "'~/data'") == "\"/home/ada/data\"");
    // An empty path that is the default means that there is none.
    CHECK(checked({.name = "a", .form = Form::kPath, .default_value = Value("")}, "''") == "\"\"");
    CHECK(checked({.name = "a", .form = Form::kAny}, "[1, 'x']") == "[1, \"x\"]");
    CHECK(checked({.name = "a", .form = Form::kInteger, .is_map = true}, "{ x = 1 }") ==
          "{ x = 1 }");
}

TEST_CASE("check value: what is wrong is refused with the rule that it breaks") {
    const struct {
        Key key;
        const char* toml;
        const char* problem;
    } cases[] = {
        {{.name = "a", .form = Form::kString, .choices = {"mean", "sum"}},
         "'Mean'",
         "x.toml:1:1: a = \"Mean\": must be one of mean, sum; did you mean 'mean'?"},
        {{.name = "a", .form = Form::kString, .choices = {"mean", "sum"}},
         "'xyz'",
         "x.toml:1:1: a = \"xyz\": must be one of mean, sum"},
        {{.name = "a", .form = Form::kString, .pattern = "[a-z]+", .expected = "small letters"},
         "'A'",
         "x.toml:1:1: a = \"A\": must be small letters"},
        {{.name = "a", .form = Form::kString, .pattern = "[a-z]+", .expected = "small letters"},
         "'nn.x'",
         "x.toml:1:1: a = \"nn.x\": must be small letters\n    fix: write \"x\""},
        {{.name = "a", .form = Form::kReal, .range = "(0, inf)"},
         "1e39",
         "x.toml:1:1: a = 1e+39: must be at most 3.4028235e+38 in size, the largest number of 32 "
         "bits, with which components compute"},
        {{.name = "a", .form = Form::kReal},
         "-1e300",
         "x.toml:1:1: a = -1e+300: must be at most 3.4028235e+38 in size, the largest number of 32 "
         "bits, with which components compute"},
        {{.name = "a", .form = Form::kString, .is_filled = true},
         "''",
         "x.toml:1:1: a = \"\": must not be empty"},
        {{.name = "a", .form = Form::kPath},
         "'~bob/x'",
         "x.toml:1:1: a = \"~bob/x\": '~' is not known here: use an absolute path"},
        {{.name = "a", .form = Form::kPath},
         "''",
         "x.toml:1:1: a = \"\": must not be empty\n    fix: name a file or folder; \".\" is the "
         "folder of the experiment"},
        {{.name = "a", .form = Form::kPath, .list_depth = 1},
         "['x', '']",
         "x.toml:1:7: a[1] = \"\": must not be empty\n    fix: name a file or folder; \".\" is the "
         "folder of the experiment"},
        {{.name = "a", .form = Form::kDuration},
         "90",
         "x.toml:1:1: a = 90: must be a span of time such as \"90m\" or \"1h30m\" (d, h, m, s), "
         "not an integer\n    fix: write \"90s\", \"90m\" or \"90h\" for seconds, minutes or "
         "hours"},
        {{.name = "a", .form = Form::kReal, .list_depth = 1, .range = "[0, 1)", .length = "[2, 2]"},
         "1",
         "x.toml:1:1: a = 1: must be a list of 2 reals in [0, 1), not an integer"},
        {{.name = "a", .form = Form::kReal, .list_depth = 1, .range = "[0, 1)", .length = "[2, 2]"},
         "[0.5]",
         "x.toml:1:1: a = [0.5]: must have 2 items, has 1"},
        {{.name = "a", .form = Form::kString, .list_depth = 1, .is_unique = true},
         "['x', 'y', 'x']",
         "x.toml:1:12: a[2] = \"x\": is there twice"},
        {{.name = "a", .form = Form::kInteger, .list_depth = 2},
         "[[1], 2]",
         "x.toml:1:7: a[1] = 2: must be a list of integers, not an integer"},
        {{.name = "a", .form = Form::kBool},
         "'true'",
         "x.toml:1:1: a = \"true\": must be a boolean, not a string\n"
         "    fix: remove the quotes: true"},
        {{.name = "a", .form = Form::kBool},
         "'False'",
         "x.toml:1:1: a = \"False\": must be a boolean, not a string\n    fix: write false"},
        {{.name = "a", .form = Form::kBool},
         "1",
         "x.toml:1:1: a = 1: must be a boolean, not an integer\n    fix: write true"},
        {{.name = "a", .form = Form::kReal, .range = "[0, 1)"},
         "'0,5'",
         "x.toml:1:1: a = \"0,5\": must be a real in [0, 1), not a string\n    fix: write 0.5"},
        {{.name = "a", .form = Form::kReal, .range = "[0, 1)"},
         "'1,5'",
         "x.toml:1:1: a = \"1,5\": must be a real in [0, 1), not a string"},
        {{.name = "a", .form = Form::kReal},
         "[0.5]",
         "x.toml:1:1: a = [0.5]: must be a real, not a list\n    fix: write 0.5"},
        {{.name = "a", .form = Form::kInteger},
         "5.0",
         "x.toml:1:1: a = 5.0: must be an integer, not a real\n    fix: write 5"},
        {{.name = "a", .form = Form::kInteger, .list_depth = 1},
         "[1, 2.0]",
         "x.toml:1:5: a[1] = 2.0: must be an integer, not a real\n    fix: write 2"},
        {{.name = "a", .form = Form::kInteger, .list_depth = 1, .takes_one = true},
         "[8.0]",
         "x.toml:1:2: a[0] = 8.0: must be an integer, not a real\n    fix: write 8"},
        {{.name = "a", .form = Form::kInteger, .list_depth = 1, .takes_one = true},
         "[[8]]",
         "x.toml:1:2: a[0] = [8]: must be an integer, not a list\n    fix: write 8"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.toml);
        CHECK(checked(c.key, c.toml) == c.problem);
    }
}

TEST_CASE("check value: of a table with the user's own keys each value is checked") {
    Diagnostics problems;
    const std::filesystem::path home;
    const auto value = read_toml_value("{ x = 1, y = -1 }", {"x.toml", 1, 1});
    const Key key{.name = "a", .form = Form::kReal, .is_map = true, .range = "[0, inf)"};
    const auto result = schema::check_value(key, *value, "a", {home, problems});
    CHECK(inline_toml(*result) == "{ x = 1.0 }");
    CHECK(problems.text() == "x.toml:1:14: a.y = -1: must be in [0, inf)");
}

TEST_CASE("expected text: each form has its own") {
    const struct {
        Key key;
        const char* text;
    } cases[] = {
        {{.name = "a", .form = Form::kInteger, .range = "[1, inf)"}, "an integer in [1, inf)"},
        {{.name = "a", .form = Form::kString, .list_depth = 1, .choices = {"x", "y"}},
         "a list of strings, one of x, y"},
        {{.name = "a", .form = Form::kInteger, .list_depth = 1, .takes_one = true},
         "an integer or a list of integers"},
        {{.name = "a", .form = Form::kTable, .can_be_none = true}, "a table, or \"none\""},
        {{.name = "a", .form = Form::kPath, .or_else = {{.name = "a", .form = Form::kTable}}},
         "a path or a table"},
        {{.name = "a", .form = Form::kReal, .is_map = true}, "a table of reals"},
        {{.name = "a", .form = Form::kIntegers},
         "a list of integers, a string of them, or the name of a file"},
    };
    for (const auto& c : cases) {
        CHECK(schema::expected_text(c.key) == c.text);
    }
}

}  // namespace check_value_test
