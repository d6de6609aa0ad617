// Events of TensorBoard's files, as bytes, and the histograms and images (PNG files,
// https://www.w3.org/TR/png) in them. The messages are defined in TensorFlow's event.proto,
// summary.proto and graph.proto; field numbers are in the .cpp.

#pragma once

#include "base/wire_message.hpp"
#include "pipeline/plan.hpp"

#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
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
    void add(const std::string& tag, int field, const WireMessage& value);

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
