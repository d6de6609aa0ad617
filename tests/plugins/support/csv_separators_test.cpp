// First lines of tables that are rows and not names, and paths as words of a shell.

#include <csv_separators.hpp>

#include <doctest/doctest.h>

namespace csv_separators_test {

using ptp::support::looks_like_row;
using ptp::support::shell_path;

TEST_CASE("CSV: a first line is a row if half of its cells are numbers that count nothing") {
    CHECK(looks_like_row({"5.1", "3.5", "setosa"}));
    CHECK(looks_like_row({"2000", "2002", "a"}));
    CHECK(looks_like_row({"0.5", "1.5", "a"}));
    CHECK(looks_like_row({"a", "5"}));
    CHECK(looks_like_row({"P0000", "1.679", "40.6", "2.55", "south", "2018-01-09", "leaking"}));
    CHECK(looks_like_row({"10:30:00", "low", "1.5"}));
    CHECK_FALSE(looks_like_row({"country", "2020-01-01", "2020-01-02"}));
    CHECK_FALSE(looks_like_row({"country", "2000", "2001", "2002"}));
    CHECK_FALSE(looks_like_row({"kind", "0", "1", "2"}));
    CHECK_FALSE(looks_like_row({"kind", "1"}));
    CHECK_FALSE(looks_like_row({"nan", "inf", "a"}));
}

TEST_CASE("CSV: a path is one word of a shell, and no option of its command") {
    CHECK(shell_path("data/t-1.csv") == "data/t-1.csv");
    CHECK(shell_path("my t.csv") == "'my t.csv'");
    CHECK(shell_path("it's.csv") == "'it'\\''s.csv'");
    CHECK(shell_path("-t.csv") == "./-t.csv");
    CHECK(shell_path("-n t.csv") == "'./-n t.csv'");
}

}  // namespace csv_separators_test
