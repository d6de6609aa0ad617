// Messages in the wire format of Protocol Buffers, as TensorBoard and ONNX need it: a key of field
// and type, then a number in groups of seven bits, four or eight bytes, or a length and bytes.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ptp {

// Each function adds a field and returns the message; `field` is the number in the .proto file.
class WireMessage {
public:
    WireMessage& add_integer(int field, std::int64_t value) {
        add_key(field, 0);
        add_varint(static_cast<std::uint64_t>(value));
        return *this;
    }
    WireMessage& add_double(int field, double value) { return add_raw(field, 1, value); }
    WireMessage& add_float(int field, float value) { return add_raw(field, 5, value); }
    WireMessage& add_bytes(int field, std::string_view bytes) {
        begin_bytes(field, bytes.size());
        bytes_ += bytes;
        return *this;
    }
    WireMessage& add_message(int field, const WireMessage& message) {
        return add_bytes(field, message.bytes_);
    }
    WireMessage& add_packed(int field, std::span<const double> values) {
        return add_bytes(field,
                         {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }

    // Adds the beginning of a field with `size` bytes, which the caller writes after this.
    WireMessage& begin_bytes(int field, std::uint64_t size) {
        add_key(field, 2);
        add_varint(size);
        return *this;
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    void add_key(int field, unsigned wire_type) {
        add_varint(static_cast<std::uint64_t>(field) << 3U | wire_type);
    }

    void add_varint(std::uint64_t value) {
        while (value > 0x7FU) {
            bytes_ += static_cast<char>(value | 0x80U);
            value >>= 7U;
        }
        bytes_ += static_cast<char>(value);
    }

    template <class T>
    WireMessage& add_raw(int field, unsigned wire_type, T value) {
        add_key(field, wire_type);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
        return *this;
    }

    std::string bytes_;
};

}  // namespace ptp
