#include "base/source_location.hpp"

#include <doctest/doctest.h>

namespace source_location_test {

using ptp::SourceLocation;

TEST_CASE("place: its text is as precise as the place") {
    CHECK(SourceLocation("xor.toml", 14, 11).text() == "xor.toml:14:11");
    CHECK(SourceLocation("xor.toml", 0, 0).text() == "xor.toml");
    CHECK(SourceLocation("--set", 0, 0).text() == "--set");
    CHECK(SourceLocation().text() == "");
}

TEST_CASE("place: places are ordered by file, then by position") {
    CHECK(SourceLocation("a", 9, 9) < SourceLocation("b", 1, 1));
    CHECK(SourceLocation("a", 2, 1) < SourceLocation("a", 10, 1));
    CHECK(SourceLocation("a", 2, 2) < SourceLocation("a", 2, 10));
    CHECK(SourceLocation() < SourceLocation("a", 0, 0));
    CHECK(SourceLocation("a", 1, 1) == SourceLocation("a", 1, 1));
    CHECK_FALSE(SourceLocation("a", 1, 1) == SourceLocation("a", 1, 2));
}

TEST_CASE("place: a message that begins with a place is known from one that does not") {
    CHECK(SourceLocation::begins("x.toml:14:11: pipeline.net: wrong"));
    CHECK(SourceLocation::begins("/a b/c:d.toml:1:1: wrong"));
    CHECK(SourceLocation::begins("--set: seed = -1: wrong"));
    for (const char* text : {"", "wrong", "wrong: 1:2", "x.toml: wrong", "x.toml:14: wrong",
                             "x.toml:14:11", "x.toml:14:: wrong", ":14:11: wrong", "14:11: wrong",
                             "device = \"cuda\": libtorch finds none", "--setting: wrong"}) {
        CAPTURE(text);
        CHECK_FALSE(SourceLocation::begins(text));
    }
}

}  // namespace source_location_test
