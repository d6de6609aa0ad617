#include "bundle/license.hpp"

#include <doctest/doctest.h>

#include <string>

namespace license_test {

using ptp::bundle::wrong_license;

namespace {

// Returns the expression that is meant; "right" for one that is.
std::string meant(const std::string& text) {
    const auto wrong = wrong_license(text);
    return wrong ? wrong->meant : "right";
}

}  // namespace

TEST_CASE("license: expressions of SPDX are right, in letters of either case") {
    for (const char* text :
         {"MIT", "mit", "Apache-2.0", "0BSD", "GPL-2.0-only", "GPL-3.0+", "Zlib", "CC-BY-NC-SA-4.0",
          "Apache-2.0 OR MIT", "(MIT AND BSD-3-Clause) OR Apache-2.0", "(MIT)",
          "GPL-2.0-or-later WITH Classpath-exception-2.0", "LicenseRef-Mine",
          "DocumentRef-other:LicenseRef-Mine", " MIT "}) {
        CAPTURE(text);
        CHECK_FALSE(wrong_license(text));
    }
}

TEST_CASE("license: what is none has the nearest expression offered") {
    CHECK(meant("MITT") == "MIT");
    CHECK(meant("MIT License") == "MIT");
    CHECK(meant("the MIT licence") == "MIT");
    CHECK(meant("Apache") == "Apache-2.0");
    CHECK(meant("Apache License, Version 2.0") == "Apache-2.0");
    CHECK(meant("apache2") == "Apache-2.0");
    CHECK(meant("GPL-3") == "GPL-3.0-or-later");
    CHECK(meant("GNU GPL v3") == "GPL-3.0-or-later");
    CHECK(meant("BSD") == "BSD-3-Clause");
    CHECK(meant("BSD 3-Clause") == "BSD-3-Clause");
    CHECK(meant("CC BY 4.0") == "CC-BY-4.0");
    CHECK(meant("public domain") == "CC0-1.0");
    CHECK(meant("proprietary") == "LicenseRef-Proprietary");
    CHECK(meant("MIT and apache-2.0") == "MIT AND apache-2.0");
    CHECK(meant("MIT/Apache-2.0") == "MIT OR Apache-2.0");
    CHECK(meant("BSD OR MIT") == "BSD-3-Clause OR MIT");
    for (const char* text : {"do what you want", "x", "", "MIT AND", "OR", "(MIT", "MIT)",
                             "GPL-2.0 WITH MIT", "LicenseRef-", "LicenseRef-a b"}) {
        CAPTURE(text);
        CHECK(meant(text) == "");
    }
    // An offered expression is right itself.
    for (const char* text : {"MITT", "GPL-3", "proprietary", "MIT/Apache-2.0", "BSD OR MIT"}) {
        CAPTURE(text);
        CHECK(meant(meant(text)) == "right");
    }
}

TEST_CASE("license: the reason names the list, and how a license of one's own is written") {
    const std::string list =
        "must be an identifier of the SPDX license list, such as MIT, or several, such as Apache-2.0 "
        "OR MIT";
    CHECK(wrong_license("MITT")->reason == list);
    CHECK(wrong_license("do what you want")->reason ==
          list + "; a license of your own is LicenseRef-NAME");
}

}  // namespace license_test
