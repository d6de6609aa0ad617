// Messages byte by byte, as the description of the wire format has them.

#include "ptp-export/protobuf.hpp"

#include <doctest/doctest.h>

#include <string>

namespace protobuf_test {

using ptp::onnx::Message;

TEST_CASE("protobuf: numbers, reals and texts have the bytes of the description") {
    // Field 1 is 150: the example of the description.
    CHECK(Message().integer(1, 150).bytes() == "\x08\x96\x01");
    // A negative number has ten bytes, seven bits each.
    CHECK(Message().integer(2, -1).bytes() ==
          std::string("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
    CHECK(Message().text(2, "testing").bytes() == std::string("\x12\x07testing"));
    CHECK(Message().real(3, 1.0F).bytes() == std::string("\x1d\x00\x00\x80\x3f", 5));
    // A field above 15 has a key of two bytes: 20 << 3.
    CHECK(Message().integer(20, 1).bytes() == std::string("\xa0\x01\x01"));
}

TEST_CASE("protobuf: a message within another is a text with its length") {
    const Message inner = Message().integer(1, 150);
    CHECK(Message().message(3, inner).bytes() == std::string("\x1a\x03\x08\x96\x01"));
    CHECK(Message().begin(9, 300).bytes() == std::string("\x4a\xac\x02"));
}

}  // namespace protobuf_test
