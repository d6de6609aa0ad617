#include "base/diagnostics.hpp"

#include <doctest/doctest.h>

namespace diagnostics_test {

using namespace ptp;

TEST_CASE(
    "diagnostics: a problem says place, key, value and message, and leaves out what is not known") {
    const SourceLocation place("xor.toml", 14, 11);
    struct Case {
        Problem problem;
        const char* text;
    };
    const Case cases[] = {
        {{Severity::kError, place, "net.dropout", "1.5", "must be in [0, 1)"},
         "xor.toml:14:11: net.dropout = 1.5: must be in [0, 1)"},
        {{Severity::kError, place, "net.dropout", "", "required"},
         "xor.toml:14:11: net.dropout: required"},
        {{Severity::kError, place, "", "", "not TOML"}, "xor.toml:14:11: not TOML"},
        {{Severity::kError, place, "", "1", "bad"}, "xor.toml:14:11: 1: bad"},
        {{Severity::kError, {}, "", "", "no file"}, "no file"},
        {{Severity::kError, {}, "a", "1", "bad"}, "a = 1: bad"},
        {{Severity::kError, {}, "a", "1", "bad", "write 2"}, "a = 1: bad\n    fix: write 2"},
        {{Severity::kWarning, place, "vars.a", "", "never used"},
         "xor.toml:14:11: vars.a: warning: never used"},
    };
    for (const Case& c : cases) {
        CHECK(c.problem.text() == c.text);
    }
}

TEST_CASE("diagnostics: all problems are kept and sorted by file, then by position") {
    Diagnostics problems;
    CHECK(problems.text() == "");
    problems.error(SourceLocation("b.toml", 1, 1), "x", "first in b");
    problems.error(SourceLocation("a.toml", 10, 1), "x", "third in a");
    problems.error(Value(5).at(SourceLocation("a.toml", 2, 9)), "x", "second in a");
    problems.warning(SourceLocation("a.toml", 2, 1), "x", "first in a");
    CHECK(problems.text() ==
          "a.toml:2:1: x: warning: first in a\n"
          "a.toml:2:9: x = 5: second in a\n"
          "a.toml:10:1: x: third in a\n"
          "b.toml:1:1: x: first in b");
    CHECK(problems.error_count() == 3);
}

TEST_CASE("diagnostics: the reasons are the problems without their fixes") {
    Diagnostics problems;
    problems.error(SourceLocation("a.toml", 2, 1), "a", Explanation{"too small", "write 2"});
    problems.error(SourceLocation("a.toml", 1, 1), "b", "unknown key");
    problems.warning(SourceLocation("a.toml", 3, 1), "c", Explanation{"never used", "remove it"});
    CHECK(problems.text() ==
          "a.toml:1:1: b: unknown key\n"
          "a.toml:2:1: a: too small\n    fix: write 2\n"
          "a.toml:3:1: c: warning: never used\n    fix: remove it");
    CHECK(problems.reasons() ==
          "a.toml:1:1: b: unknown key\na.toml:2:1: a: too small\n"
          "a.toml:3:1: c: warning: never used");
}

TEST_CASE("diagnostics: warnings alone leave an experiment usable") {
    Diagnostics problems;
    problems.warning({}, "a", "odd");
    CHECK(problems.ok());
    problems.error(SourceLocation(), "a", "wrong");
    CHECK_FALSE(problems.ok());
}

TEST_CASE("diagnostics: a second error about one value is not kept") {
    Diagnostics problems;
    const SourceLocation place("a.toml", 1, 1);
    problems.error(place, "a", "the cause");
    problems.error(place, "a", "what follows from it");
    problems.error(place, "b", "another key");
    problems.error(SourceLocation("a.toml", 1, 2), "a", "another place");
    CHECK(problems.text() ==
          "a.toml:1:1: a: the cause\na.toml:1:1: b: another key\na.toml:1:2: a: another place");
}

TEST_CASE("diagnostics: an error about a value that two keys share is shown once") {
    Diagnostics problems;
    const Value shared = Value(80).at(SourceLocation("a.toml", 4, 10));
    problems.error(shared, "training.task.share", "must be in (0, 1)");
    problems.error(shared, "validation.task.share", "must be in (0, 1)");
    problems.error(shared, "validation.task.seed", "must be even");
    const Value option = Value(80).at(SourceLocation("--set", 0, 0));
    problems.error(option, "a", "must be in (0, 1)");
    problems.error(option, "b", "must be in (0, 1)");
    CHECK(problems.text() ==
          "--set: a = 80: must be in (0, 1)\n"
          "--set: b = 80: must be in (0, 1)\n"
          "a.toml:4:10: training.task.share = 80: must be in (0, 1)\n"
          "a.toml:4:10: validation.task.seed = 80: must be even");
    CHECK(problems.error_count() == 5);
}

TEST_CASE("diagnostics: long values are cut between characters") {
    Diagnostics problems;
    std::string text(58, 'a');
    text += "\u00e9\u00e9";  // two bytes each; the quote and 58 letters leave one byte of the 60
    problems.error(Value(text), "a", "too long");
    CHECK(problems.text() == "a = \"" + std::string(58, 'a') + "...: too long");
}

}  // namespace diagnostics_test
