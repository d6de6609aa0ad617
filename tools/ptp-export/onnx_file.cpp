// Writes the messages of onnx.proto: ModelProto, GraphProto, NodeProto, TensorProto and
// ValueInfoProto. Numbers are those of its fields.

#include "ptp-export/onnx_file.hpp"

namespace ptp::onnx {

namespace {

namespace model {
constexpr int kIrVersionField = 1;
constexpr int kProducer = 2;
constexpr int kProducerVersion = 3;
constexpr int kGraph = 7;
constexpr int kOpsets = 8;
constexpr int kTexts = 14;
}  // namespace model

namespace graph {
constexpr int kNodes = 1;
constexpr int kName = 2;
constexpr int kTensors = 5;
constexpr int kInputs = 11;
constexpr int kOutputs = 12;
}  // namespace graph

// The fields of AttributeProto, and the values of its `type`.
namespace attribute {
constexpr int kName = 1;
constexpr int kReal = 2;
constexpr int kInteger = 3;
constexpr int kText = 4;
constexpr int kIntegers = 8;
constexpr int kType = 20;
constexpr std::int64_t kTypeReal = 1;
constexpr std::int64_t kTypeInteger = 2;
constexpr std::int64_t kTypeText = 3;
constexpr std::int64_t kTypeIntegers = 7;
}  // namespace attribute

WireMessage attribute_message(const Attribute& made) {
    WireMessage message;
    message.add_bytes(attribute::kName, made.name);
    std::int64_t type = 0;
    if (const auto* const integer = std::get_if<std::int64_t>(&made.value)) {
        message.add_integer(attribute::kInteger, *integer);
        type = attribute::kTypeInteger;
    } else if (const auto* const real = std::get_if<double>(&made.value)) {
        message.add_float(attribute::kReal, static_cast<float>(*real));
        type = attribute::kTypeReal;
    } else if (const auto* const text = std::get_if<std::string>(&made.value)) {
        message.add_bytes(attribute::kText, *text);
        type = attribute::kTypeText;
    } else {
        for (const std::int64_t each : std::get<std::vector<std::int64_t>>(made.value)) {
            message.add_integer(attribute::kIntegers, each);
        }
        type = attribute::kTypeIntegers;
    }
    message.add_integer(attribute::kType, type);
    return message;
}

// A ValueInfoProto: a name, and the type and shape of its tensor.
WireMessage port_message(const std::string& name, GraphType type,
                         const std::vector<Dimension>& sizes) {
    WireMessage shape;
    for (const Dimension& size : sizes) {
        WireMessage dimension;
        if (const auto* const number = std::get_if<std::int64_t>(&size)) {
            dimension.add_integer(1, *number);
        } else if (!std::get<std::string>(size).empty()) {
            dimension.add_bytes(2, std::get<std::string>(size));
        }
        shape.add_message(1, dimension);
    }
    WireMessage tensor;
    tensor.add_integer(1, onnx_type(type)).add_message(2, shape);
    WireMessage kind;
    kind.add_message(1, tensor);
    WireMessage port;
    port.add_bytes(1, name).add_message(2, kind);
    return port;
}

// A TensorProto up to its data, which are its last field.
std::string begin_tensor(const std::string& name, GraphType type,
                         const std::vector<std::int64_t>& sizes, std::uint64_t bytes) {
    constexpr int kName = 8;
    constexpr int kRawData = 9;
    WireMessage tensor;
    for (const std::int64_t size : sizes) {
        tensor.add_integer(1, size);
    }
    tensor.add_integer(2, onnx_type(type)).add_bytes(kName, name).begin_bytes(kRawData, bytes);
    WireMessage field;
    field.begin_bytes(graph::kTensors, tensor.bytes().size() + bytes);
    return field.bytes() + tensor.bytes();
}

}  // namespace

std::int64_t onnx_type(GraphType type) {
    switch (type) {
        case GraphType::kFloat:
            return 1;
        case GraphType::kByte:
            return 2;
        case GraphType::kInt32:
            return 6;
        case GraphType::kInt64:
            return 7;
        case GraphType::kBool:
            return 9;
        case GraphType::kHalf:
            return 10;
        case GraphType::kDouble:
            return 11;
        case GraphType::kOther:
            break;
    }
    return 0;
}

void OnnxFile::add(const Operator& made) {
    WireMessage node;
    for (const std::string& input : made.inputs) {
        node.add_bytes(1, input);
    }
    for (const std::string& output : made.outputs) {
        node.add_bytes(2, output);
    }
    node.add_bytes(3, made.name).add_bytes(4, made.type);
    for (const Attribute& each : made.attributes) {
        node.add_message(5, attribute_message(each));
    }
    operators_.add_message(graph::kNodes, node);
}

void OnnxFile::add_weight(const std::string& name, GraphType type,
                          const std::vector<std::int64_t>& sizes, std::string_view data) {
    weights_.push_back({begin_tensor(name, type, sizes, data.size()), data});
}

void OnnxFile::add_constant(const std::string& name, GraphType type,
                            const std::vector<std::int64_t>& sizes, const std::string& data) {
    constants_.push_back(data);
    add_weight(name, type, sizes, constants_.back());
}

void OnnxFile::add_input(const std::string& name, GraphType type,
                         const std::vector<Dimension>& sizes) {
    ports_.add_message(graph::kInputs, port_message(name, type, sizes));
}

void OnnxFile::add_output(const std::string& name, GraphType type,
                          const std::vector<Dimension>& sizes) {
    ports_.add_message(graph::kOutputs, port_message(name, type, sizes));
}

void OnnxFile::add_text(const std::string& key, const std::string& value) {
    WireMessage entry;
    entry.add_bytes(1, key).add_bytes(2, value);
    texts_.add_message(model::kTexts, entry);
}

std::uint64_t OnnxFile::graph_size() const {
    WireMessage name;
    name.add_bytes(graph::kName, "forward");
    std::uint64_t size = name.bytes().size() + operators_.bytes().size() + ports_.bytes().size();
    for (const Weight& weight : weights_) {
        size += weight.begin.size() + weight.data.size();
    }
    return size;
}

std::string OnnxFile::begin_model() const {
    WireMessage opset;
    opset.add_bytes(1, "").add_integer(2, kOpset);
    WireMessage begin;
    begin.add_integer(model::kIrVersionField, kIrVersion)
        .add_bytes(model::kProducer, "ptp")
        .add_bytes(model::kProducerVersion, PTP_VERSION)
        .add_message(model::kOpsets, opset);
    return begin.bytes() + texts_.bytes() +
           WireMessage()
               .begin_bytes(model::kGraph, graph_size())
               .add_bytes(graph::kName, "forward")
               .bytes();
}

std::uint64_t OnnxFile::size() const {
    WireMessage name;
    name.add_bytes(graph::kName, "forward");
    return begin_model().size() - name.bytes().size() + graph_size();
}

void OnnxFile::write(OutputFile& file) const {
    file.write(begin_model());
    file.write(operators_.bytes());
    for (const Weight& weight : weights_) {
        file.write(weight.begin);
        file.write(weight.data);
    }
    file.write(ports_.bytes());
}

}  // namespace ptp::onnx
