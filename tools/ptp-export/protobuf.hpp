// Messages in the wire format of Protocol Buffers, as far as ONNX needs it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptp::onnx {

// Fields are written in the order of the calls; `field` is the number in the .proto file.
class Message {
public:
    Message& integer(int field, std::int64_t value);
    Message& real(int field, float value);
    Message& text(int field, std::string_view bytes);
    Message& message(int field, const Message& inner) { return text(field, inner.bytes_); }

    // Writes the beginning of a field with `size` bytes, which the caller writes after this.
    Message& begin(int field, std::uint64_t size);

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    void number(std::uint64_t value);
    void key(int field, unsigned wire_type);

    std::string bytes_;
};

}  // namespace ptp::onnx
