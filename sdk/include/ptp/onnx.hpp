// The operators of ONNX that a component computes with, for exports that cannot trace it.
#pragma once

#include <ptp/ext/draft/onnx.h>
#include <ptp/data.hpp>
#include <ptp/detail/host.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp {

// The argument of onnx(OnnxGraph&) const: the graph to which the component adds what forward()
// computes in evaluation. An output's sizes must hold for any batch:
//
//   void onnx(ptp::OnnxGraph& graph) const {
//       const auto doubled = graph.add("Mul", {graph.input("inputs"), graph.number(2.0)});
//       graph.output("outputs", graph.add("Softmax", {doubled}, {{"axis", 1}}));
//   }
class OnnxGraph {
public:
    using Value = ptp_onnx_value;

    explicit OnnxGraph(const ptp_onnx_builder& builder) : builder_(builder) {}

    // An input of forward(), by its port; 0, an input that is left out, if it has no stream.
    Value input(const char* port) { return builder_.input(builder_.context, port); }

    // A tensor of module(), by its name there.
    Value weight(const char* name) { return builder_.weight(builder_.context, name); }

    // Constants: a list of integers (int64), a number without dimensions (float32 or int64).
    Value integers(std::vector<std::int64_t> numbers) {
        auto count = static_cast<std::int64_t>(numbers.size());
        return constant(numbers.data(), 0, 64, 1, &count);
    }
    template <std::floating_point Number>
    Value number(Number value) {
        auto real = static_cast<float>(value);
        return constant(&real, 2, 32, 0, nullptr);
    }
    template <std::integral Number>
    Value number(Number value) {
        auto integer = static_cast<std::int64_t>(value);
        return constant(&integer, 0, 64, 0, nullptr);
    }

    // An operator of opset 17, by its name in ONNX.
    Value add(const char* type, const std::vector<Value>& inputs, Data::Table attributes = {}) {
        return add_several(type, inputs, std::move(attributes), 1).front();
    }
    std::vector<Value> add_several(const char* type, const std::vector<Value>& inputs,
                                   Data::Table attributes, std::size_t outputs) {
        const detail::DataTree tree{Data(std::move(attributes))};
        std::vector<Value> made(outputs);
        builder_.add(builder_.context, type, inputs.data(), inputs.size(), tree.root(), made.data(),
                     made.size());
        return made;
    }

    // Makes a value an output of forward(), by its port. All wired ones are needed.
    void output(const char* port, Value value) { builder_.output(builder_.context, port, value); }

private:
    Value constant(void* numbers, std::uint8_t code, std::uint8_t bits, std::int32_t rank,
                   std::int64_t* shape) {
        const ptp_tensor_view view{.data = numbers,
                                   .device_type = 1,
                                   .device_id = 0,
                                   .rank = rank,
                                   .type_code = code,
                                   .type_bits = bits,
                                   .type_lanes = 1,
                                   .shape = shape,
                                   .strides = nullptr,
                                   .byte_offset = 0};
        return builder_.constant(builder_.context, &view);
    }

    const ptp_onnx_builder& builder_;
};

}  // namespace ptp
