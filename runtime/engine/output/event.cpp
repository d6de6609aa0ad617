// Encodes TensorBoard's events: values, the graph, and the frame of a record. Field numbers are
// those of the message named beside them, in TensorFlow's event.proto, summary.proto, graph.proto,
// versions.proto, node_def.proto, attr_value.proto, tensor.proto and tensor_shape.proto.

#include "engine/output/event.hpp"

#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"

#include <boost/crc.hpp>

#include <cstring>

namespace ptp::engine {

namespace {

// Event, Summary.Value, GraphDef and NodeDef.
enum EventField { kWallTime = 1, kStep = 2, kFileVersion = 3, kGraph = 4, kSummary = 5 };
enum ValueField { kTag = 1, kScalar = 2, kImage = 4, kHistogram = 5, kTensor = 8, kMetadata = 9 };
enum GraphField { kNode = 1, kVersions = 4 };
enum NodeField { kName = 1, kOp = 2, kInput = 3, kAttribute = 5 };

constexpr int kSummaryValue = 1;              // Summary.value
constexpr std::int64_t kTensorOfStrings = 7;  // DataType.DT_STRING
constexpr std::int64_t kGraphProducer = 22;   // the version of the graph's form
constexpr std::int64_t kGrey = 1;             // Summary.Image.colorspace
constexpr std::int64_t kRgb = 3;

WireMessage node_of(const std::string& name, const std::string& op) {
    return WireMessage().add_bytes(kName, name).add_bytes(kOp, op);
}

void add_attribute(WireMessage& node, const char* key, const std::string& text) {
    const WireMessage value = WireMessage().add_bytes(2, text);  // AttrValue.s
    // An entry of a map: key and value.
    node.add_message(kAttribute, WireMessage().add_bytes(1, key).add_message(2, value));
}

// Names of components have no '.', so that a stream may have the same name as a component.
std::string stream_node(const pipeline::Stream& stream) {
    return stream.name + ".stream";
}

void add_component(WireMessage& graph, const pipeline::Plan& plan, const pipeline::Node& node) {
    WireMessage made = node_of(node.name, node.component->name);
    for (const int stream : node.read_streams()) {
        made.add_bytes(kInput, stream_node(plan.stream(stream)));
    }
    graph.add_message(kNode, made);
}

void add_stream(WireMessage& graph, const pipeline::Plan& plan, const pipeline::Stream& stream) {
    const std::string& producer =
        stream.producer < 0 ? plan.tasks.front().name : plan.node(stream.producer).name;
    WireMessage made = node_of(stream_node(stream), "stream");
    made.add_bytes(kInput, producer);
    add_attribute(made, "element", std::string(plugin::to_string(stream.element)));
    add_attribute(made, "shape", pipeline::shape_text(plan, stream.shape, stream.has_shape));
    graph.add_message(kNode, made);
}

// Returns the CRC-32C (Castagnoli, RFC 3720) as in TFRecord files: masked, so that checksums of
// data that contains checksums stay useful.
std::uint32_t masked_crc32c(std::string_view bytes) {
    constexpr std::uint32_t kMaskDelta = 0xA282EAD8U;
    boost::crc_optimal<32, 0x1EDC6F41, ~0U, ~0U, true, true> crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return ((crc.checksum() >> 15U) | (crc.checksum() << 17U)) + kMaskDelta;
}

}  // namespace

void Summary::add(const std::string& tag, int field, const WireMessage& value) {
    message_.add_message(kSummaryValue,
                         WireMessage().add_bytes(kTag, tag).add_message(field, value));
}

void Summary::add_scalar(const std::string& tag, double value) {
    message_.add_message(kSummaryValue, WireMessage().add_bytes(kTag, tag).add_float(
                                            kScalar, static_cast<float>(value)));
}

void Summary::add_histogram(const std::string& tag, const Histogram& histogram) {
    add(tag, kHistogram,
        WireMessage()  // HistogramProto
            .add_double(1, histogram.minimum)
            .add_double(2, histogram.maximum)
            .add_double(3, histogram.count)
            .add_double(4, histogram.sum)
            .add_double(5, histogram.squares)
            .add_packed(6, histogram.limits)
            .add_packed(7, histogram.counts));
}

void Summary::add_image(const std::string& tag, const Png& image) {
    add(tag, kImage,
        WireMessage()  // Summary.Image
            .add_integer(1, image.height)
            .add_integer(2, image.width)
            .add_integer(3, image.channels == 1 ? kGrey : kRgb)
            .add_bytes(4, image.bytes));
}

void Summary::add_text(const std::string& tag, const std::string& markdown) {
    // TensorShapeProto.dim, with Dim.size
    const WireMessage shape = WireMessage().add_message(2, WireMessage().add_integer(1, 1));
    // TensorProto.dtype, .tensor_shape and .string_val
    const WireMessage tensor =
        WireMessage().add_integer(1, kTensorOfStrings).add_message(2, shape).add_bytes(8, markdown);
    // SummaryMetadata.plugin_data, with PluginData.plugin_name
    const WireMessage metadata = WireMessage().add_message(1, WireMessage().add_bytes(1, "text"));
    message_.add_message(kSummaryValue, WireMessage()
                                            .add_bytes(kTag, tag)
                                            .add_message(kTensor, tensor)
                                            .add_message(kMetadata, metadata));
}

std::string version_event(double wall_seconds) {
    return WireMessage()
        .add_double(kWallTime, wall_seconds)
        .add_bytes(kFileVersion, "brain.Event:2")
        .bytes();
}

std::string summary_event(const EventTime& time, const Summary& summary) {
    return WireMessage()
        .add_double(kWallTime, time.wall_seconds)
        .add_integer(kStep, static_cast<std::int64_t>(time.step))
        .add_message(kSummary, summary.message())
        .bytes();
}

std::string graph_event(double wall_seconds, const pipeline::Plan& plan) {
    WireMessage graph;
    // All tasks write the same streams; the first one, of training, represents them.
    add_component(graph, plan, plan.tasks.front());
    for (const pipeline::Node& node : plan.nodes) {
        add_component(graph, plan, node);
    }
    for (const pipeline::Stream& stream : plan.streams) {
        add_stream(graph, plan, stream);
    }
    graph.add_message(kVersions, WireMessage().add_integer(1, kGraphProducer));  // VersionDef
    return WireMessage().add_double(kWallTime, wall_seconds).add_message(kGraph, graph).bytes();
}

std::string framed(const std::string& event) {
    const auto raw = [](auto number) {
        std::string bytes(sizeof(number), '\0');
        std::memcpy(bytes.data(), &number, sizeof(number));
        return bytes;
    };
    const std::string length = raw(static_cast<std::uint64_t>(event.size()));
    return length + raw(masked_crc32c(length)) + event + raw(masked_crc32c(event));
}

}  // namespace ptp::engine
