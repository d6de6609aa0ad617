#include "base/duration.hpp"

#include <doctest/doctest.h>

using ptp::duration_from;
using ptp::duration_text;

TEST_CASE("duration: units are added") {
    CHECK(duration_from("45s") == 45);
    CHECK(duration_from("90m") == 5400);
    CHECK(duration_from("1h30m") == 5400);
    CHECK(duration_from("2d3h4m5s") == 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
}

TEST_CASE("duration: everything else is no span of time") {
    for (const char* text : {"", "5", "0s", "-1s", "1.5h", "30m1h", "1h1h", "1h 30m", "h", "1x",
                             "99999999999999999999s", "9999999999d"}) {
        CAPTURE(text);
        CHECK_FALSE(duration_from(text).has_value());
    }
}

TEST_CASE("duration: text is as short as it can be, and reads back") {
    CHECK(duration_text(5400) == "1h30m");
    CHECK(duration_text(86400) == "1d");
    CHECK(duration_text(61) == "1m1s");
    CHECK(duration_from(duration_text(123456)) == 123456);
}
