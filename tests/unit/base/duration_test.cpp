#include "base/duration.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace duration_test {

using ptp::duration_from;
using ptp::duration_text;
using ptp::DurationStyle;

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

TEST_CASE("duration: in a table, the two units that matter") {
    const auto text = [](std::optional<double> seconds) {
        return duration_text(seconds, DurationStyle::kTable);
    };
    CHECK(text(0.04) == "0.0s");
    CHECK(text(59.94) == "59.9s");
    CHECK(text(61.5) == "1m02s");
    CHECK(text(3599.0) == "59m59s");
    CHECK(text(7384.0) == "2h03m");
    for (const double wrong : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(text(wrong) == "");
    }
    CHECK(text({}) == "");
}

TEST_CASE("duration: in prose, the units that a person would use") {
    const auto text = [](double seconds) { return duration_text(seconds, DurationStyle::kProse); };
    CHECK(text(0.4) == "0 s");
    CHECK(text(59.4) == "59 s");
    CHECK(text(59.6) == "1 min 00 s");
    CHECK(text(3599) == "59 min 59 s");
    CHECK(text(7500) == "2 h 05 min");
    CHECK(text(3599999) == "999 h 59 min");
    CHECK(text(1e300) == "over 1000 h");
}

}  // namespace duration_test
