// Base64 is that of RFC 4648.

#include "base/base64.hpp"

#include <doctest/doctest.h>

#include <string_view>

namespace base64_test {

using ptp::base64;

TEST_CASE("base64: the texts of RFC 4648, with their padding") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("base64: bytes above 127 and zeros are bytes like others") {
    CHECK(base64(std::string_view("\xFF\xEE\0\x80", 4)) == "/+4AgA==");
    CHECK(base64("\xFB\xFF\xBF") == "+/+/");
}

}  // namespace base64_test
