#include "common/render.hpp"

#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace render_test {

using namespace ptp;
using namespace ptp::tools;
using ptp::experiment::place_in_overrides;
using ptp::test::TempFolder;

namespace {

const std::vector<std::string> kOverrides = {"a.b=2", "a.c = {d=[1, 22]}"};

}  // namespace

TEST_CASE("render: place, severity, message, the source line with a mark, then the fix") {
    const TempFolder folder;
    const std::string file = folder.write("x.toml", "seed = 1\r\nlr = 5 # fast\r\n").string();
    Diagnostics problems;
    problems.error(Value(5).at(SourceLocation(file, 2, 6)), "lr",
                   "too large\n    it is 5\n    fix: lr = 1");
    problems.warning(SourceLocation(file, 1, 1), "seed", "is odd");
    CHECK(rendered(problems, "ptprun", kOverrides, {}) == file +
                                                              ":1:1: warning: seed: is odd\n"
                                                              "    1 | seed = 1\n"
                                                              "      | ^~~~\n" +
                                                              file +
                                                              ":2:6: error: lr = 5: too large\n"
                                                              "    2 | lr = 5 # fast\n"
                                                              "      |      ^\n"
                                                              "    it is 5\n"
                                                              "    fix: lr = 1\n");
}

TEST_CASE("render: several errors are counted, and so are the warnings beside them") {
    Diagnostics problems;
    CHECK(rendered(problems, "ptprun", kOverrides, {}) == "");
    problems.error(SourceLocation("a.toml", 0, 0), "", "no such file");
    CHECK(rendered(problems, "ptprun", kOverrides, {}) == "a.toml: error: no such file\n");
    problems.error(SourceLocation(), "", "nothing");
    problems.warning(SourceLocation("b.so", 0, 0), "", "is empty");
    CHECK(rendered(problems, "ptprun", kOverrides, {}) ==
          "ptprun: error: nothing\n"
          "a.toml: error: no such file\n"
          "b.so: warning: is empty\n"
          "2 errors and 1 warning\n");
    CHECK(count_text(1, 5) == "");
    CHECK(count_text(3, 0) == "3 errors");
    CHECK(count_text(2, 2) == "2 errors and 2 warnings");
}

TEST_CASE("render: a value of --set is marked in the text that was given") {
    const TempFolder folder;
    const std::string file = folder.write("x.toml", "[a]\nb = 1\n").string();
    Diagnostics problems;
    const auto root =
        experiment::load_experiment({.file = file, .overrides = kOverrides}, problems);
    REQUIRE(root);
    const Value& inner = root->find("a")->find("c")->find("d")->items()[1];
    problems.error(inner, "a.c.d[1]", "too large");
    problems.error(root->find("a")->members()[1].key_place, "a.c", "unknown key");
    CHECK(rendered(problems, "ptprun", kOverrides, {}) ==
          "--set: error: a.c: unknown key\n"
          "      | a.c = {d=[1, 22]}\n"
          "      |   ^\n"
          "--set: error: a.c.d[1] = 22: too large\n"
          "      | a.c = {d=[1, 22]}\n"
          "      |              ^~\n"
          "2 errors\n");
}

TEST_CASE("render: a line that is not there, or a file that cannot be read again, is left out") {
    const TempFolder folder;
    const std::string file = folder.write("x.toml", "a = 1").string();
    for (const SourceLocation& place :
         {SourceLocation(file, 2, 1), SourceLocation("/nowhere/x", 1, 1),
          SourceLocation(folder.path().string(), 1, 1), SourceLocation("/dev/null", 1, 1),
          SourceLocation("--set", 3, 1), SourceLocation(file, 0, 0)}) {
        Diagnostics problems;
        problems.error(place, "", "wrong");
        CHECK(rendered(problems, "ptprun", kOverrides, {}) == place.text() + ": error: wrong\n");
    }
}

TEST_CASE("render: a terminal gets colors, and nothing else changes") {
    const TempFolder folder;
    const std::string file = folder.write("x.toml", "a = 1").string();
    Problem problem{Severity::kError, SourceLocation(file, 1, 5), "a", "1", "bad\n    fix: a = 2"};
    CHECK(rendered(problem, "ptprun", kOverrides, {.has_color = true}) ==
          "\x1b[1m" + file +
              ":1:5\x1b[0m: \x1b[1;31merror:\x1b[0m \x1b[1ma = 1: bad\x1b[0m\n"
              "    1 | a = 1\n"
              "      | \x1b[1;32m    ^\x1b[0m\n"
              "    \x1b[1;36mfix:\x1b[0m a = 2\n");
    problem = {Severity::kWarning, SourceLocation(), "", "", "odd"};
    CHECK(rendered(problem, "ptprun", kOverrides, {.has_color = true}) ==
          "\x1b[1mptprun\x1b[0m: \x1b[1;33mwarning:\x1b[0m \x1b[1modd\x1b[0m\n");
}

TEST_CASE("render: a message with its place in it is taken apart") {
    CHECK(problem_from("a.toml:3:4: net: wrong").place == SourceLocation("a.toml", 3, 4));
    CHECK(problem_from("a.toml:3:4: net: wrong").message == "net: wrong");
    CHECK(problem_from("--set: lr: wrong").place.text() == "--set");
    CHECK(problem_from("nothing: wrong").place.text() == "");
    CHECK(problem_from("nothing: wrong").message == "nothing: wrong");
}

TEST_CASE("render: an override is found by the key that a message begins with") {
    const std::vector<std::string> texts = {"a.b = 1", "a.b=  2", "a.c=3", "a.bc=4"};
    CHECK(place_in_overrides(texts, "a.b = 2: too large") == SourceLocation("--set", 2, 7));
    CHECK(place_in_overrides(texts, "a.c: wrong") == SourceLocation("--set", 3, 5));
    CHECK(place_in_overrides(texts, "b: wrong") == SourceLocation("--set", 0, 0));
    CHECK(place_in_overrides({}, "a.b: wrong") == SourceLocation("--set", 0, 0));
}

}  // namespace render_test
