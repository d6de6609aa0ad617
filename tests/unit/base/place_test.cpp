#include "base/place.hpp"

#include <doctest/doctest.h>

using ptp::Place;

TEST_CASE("place: its text is as precise as the place") {
    CHECK(Place("xor.toml", 14, 11).text() == "xor.toml:14:11");
    CHECK(Place("xor.toml", 0, 0).text() == "xor.toml");
    CHECK(Place("--set", 0, 0).text() == "--set");
    CHECK(Place().text() == "");
}

TEST_CASE("place: places are ordered by file, then by position") {
    CHECK(Place("a", 9, 9) < Place("b", 1, 1));
    CHECK(Place("a", 2, 1) < Place("a", 10, 1));
    CHECK(Place("a", 2, 2) < Place("a", 2, 10));
    CHECK(Place() < Place("a", 0, 0));
    CHECK(Place("a", 1, 1) == Place("a", 1, 1));
    CHECK_FALSE(Place("a", 1, 1) == Place("a", 1, 2));
}

TEST_CASE("place: a message that begins with a place is known from one that does not") {
    CHECK(Place::begins("x.toml:14:11: pipeline.net: wrong"));
    CHECK(Place::begins("/a b/c:d.toml:1:1: wrong"));
    CHECK(Place::begins("--set: seed = -1: wrong"));
    for (const char* text : {"", "wrong", "wrong: 1:2", "x.toml: wrong", "x.toml:14: wrong",
                             "x.toml:14:11", "x.toml:14:: wrong", ":14:11: wrong", "14:11: wrong",
                             "device = \"cuda\": libtorch finds none", "--setting: wrong"}) {
        CAPTURE(text);
        CHECK_FALSE(Place::begins(text));
    }
}
