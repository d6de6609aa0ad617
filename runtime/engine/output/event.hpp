// Events of TensorBoard's files, as bytes, and the histograms and images (PNG files,
// https://www.w3.org/TR/png) in them. The messages are defined in TensorFlow's event.proto,
// summary.proto and graph.proto; field numbers are in the .cpp.

#pragma once

#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// The values that TensorBoard draws: see drawn_values.cpp.
struct Histogram {
    double minimum = 0;
    double maximum = 0;
    double count = 0;
    double sum = 0;
    double squares = 0;  // sum of squares
    // The upper limits: bucket i has the numbers from limits[i - 1], or minus infinity, to below
    // limits[i]. Adjacent empty buckets are merged.
    std::vector<double> limits;
    std::vector<double> counts;
};

// Returns the histogram of the finite values of a floating-point tensor. The limits are
// TensorFlow's: 1e-12 * 1.1^k on both sides of 0.
Histogram histogram_of(const at::Tensor& tensor);

struct Png {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
    std::string bytes;
};

// Encodes [channels, height, width] with 1 or 3 channels. Bytes stay unchanged, reals range from 0
// to 1; an image with other reals is scaled from its minimum to its maximum.
Png png_of(const at::Tensor& image);

// Returns the bytes [height, width, channels] of an image that png_of() encodes.
at::Tensor pixels_of(const at::Tensor& image);
// Returns those [N, height, width, channels] of images [N, channels, height, width], each of which
// is scaled by itself.
at::Tensor pixels_of_each(const at::Tensor& images);

// A message of Protocol Buffers; each function adds a field and returns the message.
class WireMessage {
public:
    WireMessage& add_integer(unsigned field, std::uint64_t value) {
        add_key(field, 0);
        add_varint(value);
        return *this;
    }
    WireMessage& add_double(unsigned field, double value) { return add_raw(field, 1, value); }
    WireMessage& add_float(unsigned field, float value) { return add_raw(field, 5, value); }
    WireMessage& add_bytes(unsigned field, std::string_view bytes) {
        add_key(field, 2);
        add_varint(bytes.size());
        bytes_ += bytes;
        return *this;
    }
    WireMessage& add_message(unsigned field, const WireMessage& message) {
        return add_bytes(field, message.bytes_);
    }
    WireMessage& add_packed(unsigned field, std::span<const double> values) {
        return add_bytes(field,
                         {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
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
    WireMessage& add_raw(unsigned field, unsigned wire_type, T value) {
        add_key(field, wire_type);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
        return *this;
    }

    std::string bytes_;
};

// The values of one step, with their tags.
class Summary {
public:
    void add_scalar(const std::string& tag, double value);
    void add_histogram(const std::string& tag, const Histogram& histogram);
    void add_image(const std::string& tag, const Png& image);
    void add_text(const std::string& tag, const std::string& markdown);

    [[nodiscard]] bool is_empty() const { return message_.bytes().empty(); }
    [[nodiscard]] const WireMessage& message() const { return message_; }

private:
    void add(const std::string& tag, unsigned field, const WireMessage& value);

    WireMessage message_;
};

struct EventTime {
    double wall_seconds = 0;  // since 1970
    std::uint64_t step = 0;
};

// Returns the first event of every file.
std::string version_event(double wall_seconds);

std::string summary_event(const EventTime& time, const Summary& summary);

// Returns the pipeline: components, and the streams between them.
std::string graph_event(double wall_seconds, const pipeline::Plan& plan);

// Returns an event in the form of a file: its length and its bytes, each with a checksum.
std::string framed(const std::string& event);

}  // namespace ptp::engine
