#include "schema/range.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace range_test {

using ptp::schema::Range;

TEST_CASE("range: the brackets decide whether an end belongs to it") {
    const auto half_open = Range::parse("[0, 1)");
    REQUIRE(half_open);
    CHECK(half_open->contains(0));
    CHECK(half_open->contains(0.999));
    CHECK_FALSE(half_open->contains(1));
    CHECK_FALSE(half_open->contains(-0.001));
    const auto other = Range::parse("(0,1]");
    REQUIRE(other);
    CHECK_FALSE(other->contains(0));
    CHECK(other->contains(1));
    CHECK(other->text() == "(0,1]");
}

TEST_CASE("range: one number below the interval may be valid, too") {
    const auto range = Range::parse("-1 or [1, inf)");
    REQUIRE(range);
    CHECK(range->contains(-1));
    CHECK_FALSE(range->contains(0));
    CHECK(range->contains(1));
    CHECK_FALSE(range->contains(-2));
    CHECK(range->words() == "-1 or in [1, inf)");
    CHECK(Range::parse("[0, 1)")->words() == "in [0, 1)");
    for (const char* text : {"1 or [1, inf)", "-1 or 1", "-1 or 0 or [1, 2]", "or [1, 2]"}) {
        CAPTURE(text);
        CHECK_FALSE(Range::parse(text));
    }
}

TEST_CASE("range: infinity is outside an open end, nan is outside everything") {
    const double inf = std::numeric_limits<double>::infinity();
    const auto range = Range::parse("[1, inf)");
    REQUIRE(range);
    CHECK(range->contains(1e300));
    CHECK_FALSE(range->contains(inf));
    CHECK(Range::parse("(-inf, inf]")->contains(inf));
    CHECK_FALSE(Range::parse("[-inf, inf]")->contains(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("range: what is not an interval is refused") {
    CHECK(Range::parse("[2, 2]")->contains(2));
    for (const char* text : {"", "[", "[]", "0, 1", "[0 1]", "[0, 1", "{0, 1}", "[a, 1]",
                             "[0, 1, 2]", "[2, 1]", "[2, 2)", "[nan, 1]"}) {
        CAPTURE(text);
        CHECK_FALSE(Range::parse(text));
    }
}

}  // namespace range_test
