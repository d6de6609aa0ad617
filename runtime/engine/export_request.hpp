// A request of a program to trace the forward stage of trained components, and the traced graph: a
// plain list of operations that needs no libtorch to be read.

#pragma once

#include "base/value.hpp"
#include "engine/request.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptp::engine {

// A size of the inputs that a user of the exported file chooses: the batch, or a length.
struct DynamicSize {
    std::string name;       // "batch", or the stream's own name of it
    std::size_t input = 0;  // index into ForwardGraph::inputs
    std::size_t axis = 0;
};

// An integer of the graph: `constant`, plus `factor` times the product of dynamic sizes.
struct GraphSize {
    std::int64_t constant = 0;
    std::int64_t factor = 0;
    std::vector<std::size_t> dimensions = {};  // indices into ForwardGraph::dimensions
    bool is_known = true;  // false: it depends on the inputs in another way; of tensors' sizes only

    [[nodiscard]] bool is_constant() const { return is_known && factor == 0; }
    bool operator==(const GraphSize&) const = default;
};

struct TensorIndex {
    std::size_t index = 0;  // into ForwardGraph::tensors

    bool operator==(const TensorIndex&) const = default;
};

// An argument of an operation, by its name in libtorch's schema; "" within a list.
struct GraphArgument {
    using Value = std::variant<std::monostate, bool, GraphSize, double, std::string, TensorIndex,
                               std::vector<GraphArgument>>;
    std::string name;
    Value value;

    // Returns whether it is this tensor, or a list with it.
    [[nodiscard]] bool refers_to(std::size_t tensor) const {
        if (const auto* const list = std::get_if<std::vector<GraphArgument>>(&value)) {
            return std::ranges::any_of(
                *list, [&](const GraphArgument& each) { return each.refers_to(tensor); });
        }
        const auto* const found = std::get_if<TensorIndex>(&value);
        return found != nullptr && found->index == tensor;
    }
};

enum class GraphType { kFloat, kDouble, kHalf, kInt64, kInt32, kByte, kBool, kOther };

struct GraphTensor {
    std::string name = {};  // of an input's stream or of a weight: "net.conv1.weight"; else ""
    GraphType type = GraphType::kOther;
    std::vector<GraphSize> sizes = {};
    const void* data = nullptr;  // of weights and constants: contiguous, valid while it is shown
    std::uint64_t bytes = 0;
};

// An operator of ONNX that a component has written itself. Its values have names of their own.
struct WrittenOperator {
    std::string type;
    std::vector<std::string> inputs = {};  // "": left out
    std::vector<std::string> outputs = {};
    Value attributes = {};  // a table: integers, reals, texts, lists of integers

    bool operator==(const WrittenOperator&) const = default;
};

// The operation of a component that has written itself: its arguments are the values that the
// operators begin with.
inline constexpr const char* kWrittenOperation = "onnx()";

struct GraphNode {
    std::string operation;      // libtorch's name, without its namespace: "conv2d"
    std::size_t component = 0;  // index into ForwardGraph::components
    std::vector<GraphArgument> arguments = {};
    std::vector<std::size_t> outputs = {};      // indices into ForwardGraph::tensors
    bool returns_list = false;                  // whose elements are the outputs
    std::vector<WrittenOperator> written = {};  // of kWrittenOperation
    std::vector<std::string> results = {};      // its values that are the outputs

    [[nodiscard]] bool reads(std::size_t tensor) const {
        return std::ranges::any_of(
            arguments, [&](const GraphArgument& each) { return each.refers_to(tensor); });
    }
};

struct GraphOutput {
    std::string name;        // of the stream
    std::size_t tensor = 0;  // index into ForwardGraph::tensors
};

// The operations that components of the forward stage compute in evaluation, in order.
struct ForwardGraph {
    std::vector<std::string> components = {};  // "'net' (LeNet5)", in order
    std::vector<std::string> before = {};      // what prepares samples, and is not in the graph
    std::vector<std::string> before_with_weights = {};  // those of `before` that have some
    std::vector<std::string> after = {};  // what reads the outputs, and is not in the graph
    std::vector<std::string> class_names = {};
    Value globals = Value::table();  // of the whole pipeline
    std::vector<DynamicSize> dimensions = {};
    std::vector<GraphTensor> tensors = {};
    std::vector<std::size_t> inputs = {};
    std::vector<GraphOutput> outputs = {};
    std::vector<GraphNode> nodes = {};
};

// A batch of samples, and what the components compute of it.
struct ForwardSample {
    struct Tensor {
        std::string stream;
        GraphType type = GraphType::kOther;
        std::vector<std::int64_t> sizes = {};
        const void* data = nullptr;
        std::uint64_t bytes = 0;
    };
    std::vector<Tensor> inputs = {};
    std::vector<Tensor> outputs = {};
};

struct ExportRequest : SectionRequest {                 // the section's samples are traced
    std::vector<std::string> fixed = {};                // names of sizes that stay as in the data
    std::optional<std::filesystem::path> weights = {};  // write the tensors there as safetensors
    std::map<std::string, std::string> facts = {};      // texts beside the weights
    std::optional<std::filesystem::path> script = {};   // write the graph there as TorchScript
    std::uint64_t samples = 0;                          // to show, at least

    // Both are called with what is valid during the call alone; they do not throw.
    std::function<void(const ForwardGraph&)> take_graph = {};
    std::function<void(const ForwardSample&)> take_sample = {};  // with batches of several sizes
};

// [main], once in a process.
using ExportFunction = void (*)(const ExportRequest& request, RunResult& result) noexcept;

inline constexpr const char* kExportSymbol = "ptp_engine_export";  // is an ExportFunction

}  // namespace ptp::engine
