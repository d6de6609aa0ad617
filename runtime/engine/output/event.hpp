// Events of TensorBoard's files, as bytes. The messages are defined in TensorFlow's event.proto,
// summary.proto and graph.proto; field numbers are in the .cpp.

#pragma once

#include "engine/output/histogram.hpp"
#include "engine/output/png.hpp"
#include "engine/output/wire.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <string>

namespace ptp::engine {

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
