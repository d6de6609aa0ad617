#include "schema/pattern.hpp"
#include "schema/device.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

namespace pattern_test {

using ptp::schema::kDevicePattern;
using ptp::schema::matches;

TEST_CASE("a pattern must match the whole of a text") {
    CHECK(matches("cpu", kDevicePattern));
    CHECK(matches("cuda", kDevicePattern));
    CHECK(matches("cuda:12", kDevicePattern));
    for (const char* text : {"", "cpus", "a cpu", "cuda:", "cuda:1234", "cuda:1,cpu", "cpu\n"}) {
        INFO("text ", text);
        CHECK_FALSE(matches(text, kDevicePattern));
    }
}

TEST_CASE("a text with a zero byte matches no pattern, not even with what stands before it") {
    CHECK_FALSE(matches(std::string("cpu\0", 4), "cpu"));
}

TEST_CASE("what is not a regular expression is a mistake of the program") {
    CHECK_THROWS_WITH_AS((void)matches("cpu", "(cpu"), "not a regular expression: (cpu",
                         std::logic_error);
}

}  // namespace pattern_test
