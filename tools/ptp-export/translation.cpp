// Reads arguments and writes operators of one traced graph.

#include "ptp-export/translation.hpp"

#include "base/error.hpp"
#include "base/ranges.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::onnx {

namespace {

const GraphArgument::Value kNothing = std::monostate();

template <class Number>
void append(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Returns "" for a type whose numbers are not written here.
template <class Number>
std::string bytes_of(Number number, GraphType type) {
    std::string bytes;
    switch (type) {
        case GraphType::kFloat:
            append(bytes, static_cast<float>(number));
            break;
        case GraphType::kInt64:
            append(bytes, static_cast<std::int64_t>(number));
            break;
        case GraphType::kInt32:
            append(bytes, static_cast<std::int32_t>(number));
            break;
        case GraphType::kBool:
        case GraphType::kByte:
            append(bytes, static_cast<std::uint8_t>(number));
            break;
        case GraphType::kDouble:
            append(bytes, static_cast<double>(number));
            break;
        default:
            break;
    }
    return bytes;
}

// "batch", "4*batch*L+1": a name for a size.
std::string text_of(const GraphSize& size, const ForwardGraph& graph) {
    std::string text = fmt::format("{}", size.factor);
    for (const std::size_t dimension : size.dimensions) {
        text += "*" + graph.dimensions[dimension].name;
    }
    return fmt::format("{}+{}", text, size.constant);
}

// "'net' (LeNet5)" -> "net"
std::string short_name(const std::string& title) {
    const std::size_t begin = title.find('\'');
    const std::size_t end = title.find('\'', begin + 1);
    return begin == std::string::npos || end == std::string::npos
               ? title.substr(0, title.find(' '))
               : title.substr(begin + 1, end - begin - 1);
}

}  // namespace

const GraphArgument::Value* Translation::find(std::string_view argument) const {
    const auto found = std::ranges::find(node_->arguments, argument, &GraphArgument::name);
    return found == node_->arguments.end() || std::holds_alternative<std::monostate>(found->value)
               ? nullptr
               : &found->value;
}

bool Translation::has(std::string_view argument) const {
    return find(argument) != nullptr;
}

const GraphArgument::Value& Translation::value(std::string_view argument) const {
    const auto* const found = find(argument);
    return found == nullptr ? kNothing : *found;
}

std::int64_t Translation::constant_of(const GraphArgument::Value& value,
                                      std::string_view argument) const {
    if (const auto* const size = std::get_if<GraphSize>(&value)) {
        if (size->is_constant()) {
            return size->constant;
        }
        refuse(fmt::format("its '{}' depends on the sizes of the inputs", argument));
    }
    if (const auto* const flag = std::get_if<bool>(&value)) {
        return *flag ? 1 : 0;
    }
    refuse(fmt::format("its '{}' is no integer", argument));
}

std::int64_t Translation::integer(std::string_view argument) const {
    return constant_of(value(argument), argument);
}

double Translation::real(std::string_view argument, double usual) const {
    const auto* const found = find(argument);
    if (found == nullptr) {
        return usual;
    }
    const auto* const real = std::get_if<double>(found);
    return real != nullptr ? *real : static_cast<double>(constant_of(*found, argument));
}

bool Translation::flag(std::string_view argument, bool usual) const {
    const auto* const found = find(argument);
    return found == nullptr ? usual : constant_of(*found, argument) != 0;
}

std::string Translation::text(std::string_view argument) const {
    const auto* const text = std::get_if<std::string>(&value(argument));
    return text == nullptr ? "" : *text;
}

const std::vector<GraphArgument>& Translation::list(std::string_view argument) const {
    static const std::vector<GraphArgument> kEmpty;
    const auto* const found = std::get_if<std::vector<GraphArgument>>(&value(argument));
    return found == nullptr ? kEmpty : *found;
}

Integers Translation::integers(std::string_view argument) const {
    if (const auto* const one = std::get_if<GraphSize>(&value(argument))) {
        return {constant_of(*one, argument)};
    }
    return transformed(list(argument), [&](const GraphArgument& each) {
        return constant_of(each.value, argument);
    });
}

const GraphTensor& Translation::tensor_of(const GraphArgument::Value& value) const {
    const auto* const found = std::get_if<engine::TensorIndex>(&value);
    if (found == nullptr) {
        refuse("it reads something else than a tensor");
    }
    return graph_.tensors[found->index];
}

const GraphTensor& Translation::described(std::string_view argument) const {
    return tensor_of(value(argument));
}

const GraphTensor& Translation::result(std::size_t output) const {
    return graph_.tensors[node_->outputs[output]];
}

std::int64_t Translation::rank(std::string_view argument) const {
    return static_cast<std::int64_t>(described(argument).sizes.size());
}

std::int64_t Translation::axis(std::string_view argument, std::string_view tensor) const {
    const std::int64_t axis = integer(argument);
    return axis < 0 ? axis + rank(tensor) : axis;
}

bool Translation::is_only_read_by(std::string_view operation, std::string_view argument) const {
    const std::size_t result = node_->outputs.front();
    for (const GraphNode& node : graph_.nodes) {
        for (const GraphArgument& each : node.arguments) {
            if (each.refers_to(result) && (node.operation != operation || each.name != argument)) {
                return false;
            }
        }
    }
    return std::ranges::none_of(
        graph_.outputs, [&](const engine::GraphOutput& output) { return output.tensor == result; });
}

const GraphNode* Translation::maker(std::string_view argument, std::string_view operation) const {
    const auto* const tensor = std::get_if<engine::TensorIndex>(&value(argument));
    const auto found = std::ranges::find_if(graph_.nodes, [&](const GraphNode& node) {
        return tensor != nullptr && node.operation == operation &&
               std::ranges::find(node.outputs, tensor->index) != node.outputs.end();
    });
    return found == graph_.nodes.end() ? nullptr : &*found;
}

std::string Translation::tensor(std::string_view argument) {
    const auto* const found = find(argument);
    return found == nullptr ? "" : name_of(*found);
}

std::string Translation::name_of(const GraphArgument::Value& value) {
    const GraphTensor& tensor = tensor_of(value);
    const std::size_t index = std::get<engine::TensorIndex>(value).index;
    if (const auto known = names_.find(index); known != names_.end()) {
        return known->second;
    }
    std::string name = tensor.name;
    if (tensor.data != nullptr) {
        if (onnx_type(tensor.type) == 0) {
            refuse("ONNX has no tensors of its type");
        }
        name = name.empty() ? fresh("constant") : name;
        file_.add_weight(
            name, tensor.type,
            transformed(tensor.sizes, [](const GraphSize& size) { return size.constant; }),
            {static_cast<const char*>(tensor.data), tensor.bytes});
    }
    if (name.empty()) {  // which ONNX reads as an input that is left out
        refuse("it reads a tensor that no operation before it has written");
    }
    names_[index] = name;
    return name;
}

std::string Translation::cast(const std::string& name, GraphType type) {
    return emit("Cast", {name}, {{"to", onnx_type(type)}});
}

std::string Translation::tensor_as(const GraphArgument::Value& value, GraphType type) {
    if (const auto* const real = std::get_if<double>(&value)) {
        return scalar(*real, type);
    }
    if (const auto* const flag = std::get_if<bool>(&value)) {
        return whole_scalar(*flag ? 1 : 0, type);
    }
    if (const auto* const number = std::get_if<GraphSize>(&value)) {
        if (number->is_constant()) {
            return whole_scalar(number->constant, type);
        }
        const std::string one = emit("Squeeze", {size(*number), constant(Integers{0})});
        return type == GraphType::kInt64 ? one : cast(one, type);
    }
    const GraphTensor& tensor = tensor_of(value);
    const std::string name = name_of(value);
    return tensor.type == type ? name : cast(name, type);
}

std::string Translation::constant(const Integers& numbers) {
    std::string bytes;
    for (const std::int64_t number : numbers) {
        append(bytes, number);
    }
    std::string& name = constants_["integers" + bytes];
    if (name.empty()) {
        name = fresh("integers");
        file_.add_constant(name, GraphType::kInt64, {static_cast<std::int64_t>(numbers.size())},
                           bytes);
    }
    return name;
}

std::string Translation::scalar(double number, GraphType type) {
    return scalar_of(number, type);
}

std::string Translation::whole_scalar(std::int64_t number, GraphType type) {
    return scalar_of(number, type);
}

template <class Number>
std::string Translation::scalar_of(Number number, GraphType type) {
    const std::string bytes = bytes_of(number, type);
    if (bytes.empty()) {
        refuse("a number of a type that ptp does not write, such as float16");
    }
    std::string& name = constants_[fmt::format("scalar {} {}", onnx_type(type), bytes)];
    if (name.empty()) {
        name = fresh("scalar");
        file_.add_constant(name, type, {}, bytes);
    }
    return name;
}

std::string Translation::filled(const Integers& sizes, float value) {
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        count *= size;
    }
    std::string bytes;
    for (std::int64_t i = 0; i < count; ++i) {
        append(bytes, value);
    }
    return stored("filled", sizes, bytes);
}

std::string Translation::stored(const std::string& kind, const Integers& sizes,
                                const std::string& bytes) {
    std::string name = fresh(kind);
    file_.add_constant(name, GraphType::kFloat, sizes, bytes);
    return name;
}

std::string Translation::size(const GraphSize& size) {
    if (!size.is_known) {
        refuse("a size of it follows from the inputs in an unknown way");
    }
    if (size.is_constant()) {
        return constant(Integers{size.constant});
    }
    const std::string text = text_of(size, graph_);
    if (const auto known = known_sizes_.find(text); known != known_sizes_.end()) {
        return known->second;
    }
    std::string product;
    for (const std::size_t number : size.dimensions) {
        const engine::DynamicSize& dimension = graph_.dimensions[number];
        const std::string shape =
            emit("Shape", {name_of(engine::TensorIndex{graph_.inputs[dimension.input]})});
        const std::string one =
            emit("Gather", {shape, constant(Integers{static_cast<std::int64_t>(dimension.axis)})},
                 {{"axis", std::int64_t{0}}});
        product = product.empty() ? one : emit("Mul", {product, one});
    }
    if (size.factor != 1) {
        product = emit("Mul", {product, constant(Integers{size.factor})});
    }
    if (size.constant != 0) {
        product = emit("Add", {product, constant(Integers{size.constant})});
    }
    known_sizes_[text] = product;
    return product;
}

std::string Translation::sizes(const std::vector<GraphArgument>& list) {
    const auto is_constant = [](const GraphArgument& each) {
        const auto* const size = std::get_if<GraphSize>(&each.value);
        return size != nullptr && size->is_constant();
    };
    if (std::ranges::all_of(list, is_constant)) {
        return constant(transformed(list, [](const GraphArgument& each) {
            return std::get<GraphSize>(each.value).constant;
        }));
    }
    Names parts;
    for (const GraphArgument& each : list) {
        const auto* const size = std::get_if<GraphSize>(&each.value);
        parts.push_back(size != nullptr
                            ? this->size(*size)
                            : emit("Reshape", {name_of(each.value), constant(Integers{1})}));
    }
    return emit("Concat", parts, {{"axis", std::int64_t{0}}});
}

std::string Translation::fresh(const std::string& type) {
    const std::string name =
        short_name(graph_.components[node_ == nullptr ? 0 : node_->component]) + "/" + type;
    return fmt::format("{}_{}", name, counts_[name]++);
}

std::string Translation::emit(const std::string& type, const Names& inputs,
                              const Attributes& attributes) {
    return emit_several(type, inputs, attributes, 1).front();
}

Names Translation::emit_several(const std::string& type, const Names& inputs,
                                const Attributes& attributes, std::size_t outputs) {
    const std::string name = fresh(type);
    Names made = {name};
    for (std::size_t i = 1; i < outputs; ++i) {
        made.push_back(fmt::format("{}.{}", name, i));
    }
    file_.add({name, type, inputs, made, attributes});
    return made;
}

void Translation::give(const std::string& name, std::size_t output) {
    names_[node_->outputs.at(output)] = name;
}

void Translation::refuse(const std::string& why) const {
    throw RunError(kConfigurationError,
                   fmt::format("cannot export {} as ONNX: {}: {}",
                               graph_.components[node_->component], node_->operation, why));
}

}  // namespace ptp::onnx
