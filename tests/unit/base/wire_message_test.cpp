// Messages byte by byte, as the description of the wire format has them.

#include "base/wire_message.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace wire_message_test {

using ptp::WireMessage;

TEST_CASE("wire message: numbers, reals and texts have the bytes of the description") {
    // Field 1 is 150: the example of the description.
    CHECK(WireMessage().add_integer(1, 150).bytes() == "\x08\x96\x01");
    CHECK(WireMessage().add_integer(2, 0).bytes() == std::string("\x10\x00", 2));
    // A negative number has ten bytes, seven bits each.
    CHECK(WireMessage().add_integer(2, -1).bytes() ==
          std::string("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
    CHECK(WireMessage().add_bytes(2, "testing").bytes() == std::string("\x12\x07testing"));
    CHECK(WireMessage().add_float(3, 1.0F).bytes() == std::string("\x1d\x00\x00\x80\x3f", 5));
    // A field above 15 has a key of two bytes: 20 << 3.
    CHECK(WireMessage().add_integer(20, 1).bytes() == std::string("\xa0\x01\x01"));
}

TEST_CASE("wire message: messages and packed numbers have their length before them") {
    const WireMessage inner = WireMessage().add_integer(1, 150);
    CHECK(WireMessage().add_message(3, inner).bytes() == std::string("\x1a\x03\x08\x96\x01"));
    CHECK(WireMessage().begin_bytes(9, 300).bytes() == std::string("\x4a\xac\x02"));
    CHECK(WireMessage().add_packed(6, std::vector<double>{1.0, -2.0}).bytes() ==
          std::string("\x32\x10"
                      "\0\0\0\0\0\0\xf0\x3f"
                      "\0\0\0\0\0\0\x00\xc0",
                      18));
}

}  // namespace wire_message_test
