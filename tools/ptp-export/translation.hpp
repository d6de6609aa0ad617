// The translation of one traced graph: the arguments of operations, the names that tensors have in
// the file, and the operators that are written for them.

#pragma once

#include "engine/export_request.hpp"
#include "ptp-export/onnx_file.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::onnx {

using engine::ForwardGraph;
using engine::GraphArgument;
using engine::GraphNode;
using engine::GraphSize;
using engine::GraphTensor;
using engine::WrittenOperator;

using Integers = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

class Translation {
public:
    Translation(const ForwardGraph& graph, OnnxFile& file) : graph_(graph), file_(file) {}

    [[nodiscard]] const ForwardGraph& graph() const { return graph_; }

    // The operation that is translated now.
    void begin(const GraphNode& node) { node_ = &node; }

    [[nodiscard]] const GraphNode& node() const { return *node_; }

    // Arguments of it by name. Those with a default are absent if they are None or not there.
    // Throws RunError for numbers that depend on the sizes of the inputs.
    [[nodiscard]] bool has(std::string_view argument) const;
    [[nodiscard]] std::int64_t integer(std::string_view argument) const;
    [[nodiscard]] double real(std::string_view argument, double usual) const;
    [[nodiscard]] bool flag(std::string_view argument, bool usual = false) const;
    [[nodiscard]] std::string text(std::string_view argument) const;
    [[nodiscard]] Integers integers(std::string_view argument) const;
    [[nodiscard]] const GraphArgument::Value& value(std::string_view argument) const;
    [[nodiscard]] const std::vector<GraphArgument>& list(std::string_view argument) const;

    // Returns the tensor of an argument, or of an output.
    [[nodiscard]] const GraphTensor& described(std::string_view argument) const;
    [[nodiscard]] const GraphTensor& result(std::size_t output = 0) const;
    [[nodiscard]] std::size_t result_count() const { return node_->outputs.size(); }
    [[nodiscard]] std::int64_t rank(std::string_view argument) const;
    // Returns a dimension counted from the first; -1 is the last one.
    [[nodiscard]] std::int64_t axis(std::string_view argument, std::string_view tensor) const;

    // Returns whether the tensor of an argument has a name in the file already.
    [[nodiscard]] bool is_known(std::string_view argument) const {
        return names_.contains(std::get<engine::TensorIndex>(value(argument)).index);
    }
    // Returns whether the result is read by arguments of this name of this operation alone.
    [[nodiscard]] bool is_only_read_by(std::string_view operation, std::string_view argument) const;
    // Returns the operation that wrote the tensor of an argument, if its name is this one.
    [[nodiscard]] const GraphNode* maker(std::string_view argument,
                                         std::string_view operation) const;

    // Return the name in the file: of an argument; of a value; of one with another type.
    [[nodiscard]] std::string tensor(std::string_view argument);
    [[nodiscard]] std::string name_of(const GraphArgument::Value& value);
    [[nodiscard]] std::string tensor_as(const GraphArgument::Value& value, GraphType type);
    [[nodiscard]] std::string cast(const std::string& name, GraphType type);

    // Return the names of new constants.
    [[nodiscard]] std::string constant(const Integers& numbers);
    [[nodiscard]] std::string scalar(double number, GraphType type);
    [[nodiscard]] std::string whole_scalar(std::int64_t number, GraphType type);
    [[nodiscard]] std::string filled(const Integers& sizes, float value);
    // The bytes are those of float32.
    [[nodiscard]] std::string stored(const std::string& kind, const Integers& sizes,
                                     const std::string& bytes);

    // Returns the name of a tensor with one size, or with a list of them, computed where they
    // depend on the inputs.
    [[nodiscard]] std::string size(const GraphSize& size);
    [[nodiscard]] std::string sizes(const std::vector<GraphArgument>& list);

    // Writes an operator; returns the names of its outputs, or of its only one.
    std::string emit(const std::string& type, const Names& inputs,
                     const Attributes& attributes = {});
    Names emit_several(const std::string& type, const Names& inputs, const Attributes& attributes,
                       std::size_t outputs);

    // Makes this name the result of the operation.
    void give(const std::string& name, std::size_t output = 0);

    // Throws RunError: the component cannot be exported because of this operation.
    [[noreturn]] void refuse(const std::string& why) const;

private:
    [[nodiscard]] const GraphArgument::Value* find(std::string_view argument) const;
    [[nodiscard]] const GraphTensor& tensor_of(const GraphArgument::Value& value) const;
    [[nodiscard]] std::int64_t constant_of(const GraphArgument::Value& value,
                                           std::string_view argument) const;
    [[nodiscard]] std::string fresh(const std::string& type);
    template <class Number>
    [[nodiscard]] std::string scalar_of(Number number, GraphType type);

    const ForwardGraph& graph_;
    OnnxFile& file_;
    const GraphNode* node_ = nullptr;
    std::map<std::size_t, std::string> names_;        // of tensors
    std::map<std::string, std::string> constants_;    // by type and bytes
    std::map<std::string, std::string> known_sizes_;  // by text
    std::map<std::string, std::size_t> counts_;       // of names
};

// An operation of libtorch, and what writes it.
struct Row {
    std::string_view operation;
    void (*write)(Translation& translation);
};

}  // namespace ptp::onnx
