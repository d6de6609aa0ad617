// A message in the wire format of protocol buffers, field by field; see
// https://protobuf.dev/programming-guides/encoding. Only for little-endian machines, like all of
// ptp.

#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace ptp::engine {

class WireMessage {
public:
    void add_integer(unsigned field, std::uint64_t value) {
        add_key(field, 0);
        add_varint(value);
    }
    void add_double(unsigned field, double value) {
        add_key(field, 1);
        add_raw(value);
    }
    void add_bytes(unsigned field, std::string_view bytes) {
        add_key(field, 2);
        add_varint(bytes.size());
        bytes_ += bytes;
    }
    void add_message(unsigned field, const WireMessage& message) {
        add_bytes(field, message.bytes_);
    }
    void add_packed(unsigned field, std::span<const double> values) {
        add_key(field, 2);
        add_varint(values.size_bytes());
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    void add_float(unsigned field, float value) {
        add_key(field, 5);
        add_raw(value);
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    void add_key(unsigned field, unsigned wire_type) { add_varint(field << 3U | wire_type); }

    void add_varint(std::uint64_t value) {
        while (value > 0x7FU) {
            bytes_ += static_cast<char>(value | 0x80U);
            value >>= 7U;
        }
        bytes_ += static_cast<char>(value);
    }

    template <class T>
    void add_raw(T value) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        bytes_.append(raw, sizeof(T));
    }

    std::string bytes_;
};

}  // namespace ptp::engine
