#include "engine/sinks/crc32c.hpp"

#include <doctest/doctest.h>

#include <string>

using ptp::engine::crc32c;
using ptp::engine::masked_crc32c;

TEST_CASE("crc32c: the vectors of RFC 3720, B.4, and the usual one") {
    CHECK(crc32c("123456789") == 0xE3069283U);
    CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AAU);
    CHECK(crc32c(std::string(32, '\xff')) == 0x62A8AB43U);
    CHECK(crc32c("") == 0);
}

TEST_CASE("crc32c: the mask turns by 15 bits and adds a constant") {
    // 0xE3069283 turned right by 15 is 0x2507C60D; + 0xA282EAD8.
    CHECK(masked_crc32c("123456789") == 0xC78AB0E5U);
}
