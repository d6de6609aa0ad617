// An ONNX file while it is made: operators, weights, inputs, outputs and texts about them.

#pragma once

#include "base/output_file.hpp"
#include "base/wire_message.hpp"
#include "engine/export_request.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptp::onnx {

using engine::GraphType;

inline constexpr std::int64_t kOpset = 17;
inline constexpr std::int64_t kIrVersion = 8;

// An attribute of an operator.
struct Attribute {
    std::string name;
    std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>> value;
};
using Attributes = std::vector<Attribute>;

// A dimension of an input or output: a size, or a name for any.
using Dimension = std::variant<std::int64_t, std::string>;

// Returns the number of a type in ONNX; 0 for one that it does not have.
std::int64_t onnx_type(GraphType type);

struct Operator {
    std::string name;
    std::string type;  // "Conv"
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    Attributes attributes = {};
};

class OnnxFile {
public:
    void add(const Operator& made);

    // The data of a weight must outlive the file; those of a constant are copied.
    void add_weight(const std::string& name, GraphType type, const std::vector<std::int64_t>& sizes,
                    std::string_view data);
    void add_constant(const std::string& name, GraphType type,
                      const std::vector<std::int64_t>& sizes, const std::string& data);

    void add_input(const std::string& name, GraphType type, const std::vector<Dimension>& sizes);
    void add_output(const std::string& name, GraphType type, const std::vector<Dimension>& sizes);
    void add_text(const std::string& key, const std::string& value);

    [[nodiscard]] std::uint64_t size() const;  // in bytes

    // Writes the whole file. Throws RunError; REQUIRES: it has fewer than kMaxFileBytes.
    void write(OutputFile& file) const;

private:
    struct Weight {
        std::string begin;  // everything before its data
        std::string_view data;
    };
    [[nodiscard]] std::uint64_t graph_size() const;
    [[nodiscard]] std::string begin_model() const;

    WireMessage operators_;
    std::deque<Weight> weights_;
    std::deque<std::string> constants_;  // the data of constants; a deque, so that they never move
    WireMessage ports_;
    WireMessage texts_;
};

// The most bytes of a file that readers of Protocol Buffers accept.
inline constexpr std::uint64_t kMaxFileBytes = (1ULL << 31U) - 1;

}  // namespace ptp::onnx
