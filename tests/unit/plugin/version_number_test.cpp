#include "plugin/compare.hpp"

#include <doctest/doctest.h>

namespace version_number_test {

using ptp::plugin::Change;
using ptp::plugin::VersionNumber;

TEST_CASE("version number: three numbers, and what comes after them does not count") {
    CHECK(VersionNumber::parse("1.20.3") == VersionNumber{1, 20, 3});
    CHECK(VersionNumber::parse("2.0.0-rc.1+g123") == VersionNumber{2, 0, 0});
    for (const char* text : {"", "1", "1.2", "1.2.", "1.2.x", "v1.2.3", "1.2.3.4", "1,2,3",
                             "-1.2.3", "99999999999999999999.0.0"}) {
        CAPTURE(text);
        CHECK_FALSE(VersionNumber::parse(text).has_value());
    }
}

TEST_CASE("version number: they are ordered by number, not by letter") {
    CHECK(*VersionNumber::parse("1.10.0") > *VersionNumber::parse("1.9.9"));
    CHECK(*VersionNumber::parse("2.0.0") > *VersionNumber::parse("1.10.0"));
}

TEST_CASE("version number: the smallest one after each change") {
    const struct {
        const char* before;
        Change change;
        const char* expected;
    } cases[] = {
        {"1.2.3", Change::kIdentical, "1.2.3"}, {"1.2.3", Change::kWidened, "1.3.0"},
        {"1.2.3", Change::kNarrowed, "2.0.0"},  {"1.2.3", Change::kBreaking, "2.0.0"},
        {"0.2.3", Change::kWidened, "0.2.4"},   {"0.2.3", Change::kBreaking, "0.3.0"},
        {"0.0.3", Change::kWidened, "0.0.4"},   {"0.0.3", Change::kNarrowed, "0.0.4"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.before);
        CAPTURE(to_string(c.change));
        CHECK(VersionNumber::parse(c.before)->after(c.change).text() == c.expected);
    }
}

}  // namespace version_number_test
