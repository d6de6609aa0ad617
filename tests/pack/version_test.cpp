#include "ptp-pack/version.hpp"

#include "ptp-pack/manifest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace version_test {

using ptp::pack::parse_version;

TEST_CASE("versions: the order of Semantic Versioning 2.0, section 11") {
    const std::vector<std::string> ordered = {"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
                                              "1.0.0-beta",  "1.0.0-beta.2",  "1.0.0-beta.11",
                                              "1.0.0-rc.1",  "1.0.0",         "1.0.1",
                                              "1.2.0",       "1.10.0",        "2.0.0"};
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        for (std::size_t j = 0; j < ordered.size(); ++j) {
            CAPTURE(ordered[i]);
            CAPTURE(ordered[j]);
            CHECK(ptp::pack::is_newer(ordered[i], ordered[j]) == (i > j));
        }
    }
}

TEST_CASE("versions: what is not one") {
    for (const char* text :
         {"", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.-1", "1.0.0-", "1.0.0-a..b", "1.0.0-01",
          "1.0.0+build", "v1.0.0", "1.0.0 ", "1.0.99999999999999999999", "1.0.0-a/b", "../../x"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_version(text));
    }
}

TEST_CASE("versions: requirements accept what their comparisons do") {
    struct Case {
        const char* requirement;
        const char* version;
        bool is_accepted;
    };
    const Case cases[] = {
        {"*", "0.0.1", true},
        {">=1.2.0", "1.2.0", true},
        {">=1.2.0", "1.1.9", false},
        {">=1.2.0, <2.0.0", "1.99.0", true},
        {">=1.2.0, <2.0.0", "2.0.0", false},
        {">1.2.0", "1.2.0", false},
        {"<=1.2.0", "1.2.0", true},
        {"=1.2.0", "1.2.0", true},
        {"=1.2.0", "1.2.1", false},
        {">=1.0.0", "1.0.0-rc.1", false},
    };
    for (const Case& c : cases) {
        CAPTURE(c.requirement);
        CAPTURE(c.version);
        CHECK(ptp::pack::is_requirement(c.requirement));
        CHECK(ptp::pack::accepts(c.requirement, c.version) == c.is_accepted);
    }
    for (const char* text : {"", "1.2.0", "^1.2.0", "~=1.2.0", ">=1.2", ">=1.2.0,", "**"}) {
        CAPTURE(text);
        CHECK_FALSE(ptp::pack::is_requirement(text));
    }
}

TEST_CASE("paths in packages: what may be one") {
    for (const char* path : {"LICENSE", "docs/a-b_c+d.md", "docs/a/b/c.toml", "x.y.z", "a..b"}) {
        CAPTURE(path);
        CHECK(ptp::pack::refuse_path(path) == "");
    }
    CHECK(ptp::pack::colliding_path({"a", "b/c", "b/d"}) == "");
    CHECK(ptp::pack::colliding_path({"B/c", "a", "b/C"}) == "b/c");
    CHECK(ptp::pack::colliding_path({"b/c", "B"}) == "b");
    CHECK(ptp::pack::colliding_path({"b", "b-c", "b/c"}) == "b");
}

}  // namespace version_test
