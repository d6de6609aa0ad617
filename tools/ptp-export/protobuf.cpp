// Writes the wire format: a key of field and type, then a number in groups of seven bits, four
// bytes, or a length and bytes.

#include "ptp-export/protobuf.hpp"

#include <cstring>

namespace ptp::onnx {

namespace {

constexpr unsigned kVarint = 0;
constexpr unsigned kBytes = 2;
constexpr unsigned kFourBytes = 5;
constexpr unsigned kTypeBits = 3;

}  // namespace

void Message::number(std::uint64_t value) {
    constexpr std::uint64_t kSevenBits = 0x7F;
    while (value > kSevenBits) {
        bytes_ += static_cast<char>((value & kSevenBits) | 0x80U);
        value >>= 7U;
    }
    bytes_ += static_cast<char>(value);
}

void Message::key(int field, unsigned wire_type) {
    number((static_cast<std::uint64_t>(field) << kTypeBits) | wire_type);
}

Message& Message::integer(int field, std::int64_t value) {
    key(field, kVarint);
    number(static_cast<std::uint64_t>(value));
    return *this;
}

Message& Message::real(int field, float value) {
    key(field, kFourBytes);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    for (unsigned byte = 0; byte < sizeof bits; ++byte) {
        bytes_ += static_cast<char>(bits >> (8 * byte));
    }
    return *this;
}

Message& Message::begin(int field, std::uint64_t size) {
    key(field, kBytes);
    number(size);
    return *this;
}

Message& Message::text(int field, std::string_view bytes) {
    begin(field, bytes.size());
    bytes_ += bytes;
    return *this;
}

}  // namespace ptp::onnx
