// Shows which operators the operations of a handwritten graph become in the file: operators with
// their inputs and constants, read by a reader of its own.

#include "base/error.hpp"
#include "ptp-export/onnx.hpp"
#include "support/temp_folder.hpp"
#include "tools/onnx_reader.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace emitted_test {

namespace {

using namespace ptp::engine;
using ptp::test::ProtoFields;

const GraphSize kBatch{0, 1, {0}};
const GraphSize kUnknown{.is_known = false};

GraphSize number(std::int64_t value) {
    return {.constant = value};
}

template <class Number>
std::string numbers_text(const std::string& bytes) {
    std::string text;
    for (std::size_t i = 0; i + sizeof(Number) <= bytes.size(); i += sizeof(Number)) {
        Number value{};
        std::memcpy(&value, bytes.data() + i, sizeof value);
        text += fmt::format("{}{}", i == 0 ? "" : " ", value);
    }
    return text;
}

// "Mul(x, 2) Identity(net/Mul_0)": the operators, with the values of constants; casts with their
// type.
std::string operators_of(const ForwardGraph& graph) {
    ptp::onnx::OnnxFile file;
    ptp::onnx::translate(graph, file);
    const ptp::test::TempFolder folder;
    ptp::OutputFile output = ptp::OutputFile::create(folder.path() / "graph.onnx");
    file.write(output);
    output.finish();
    const std::string bytes = folder.read("graph.onnx");
    const ProtoFields made = ProtoFields(bytes).messages(7).at(0);
    std::map<std::string, std::string> constants;
    for (const ProtoFields& tensor : made.messages(5)) {
        const std::string data = tensor.text(9);
        const std::uint64_t type = tensor.number(2);
        constants[tensor.text(8)] = type == 1    ? numbers_text<float>(data)
                                    : type == 7  ? numbers_text<std::int64_t>(data)
                                    : type == 11 ? numbers_text<double>(data)
                                                 : numbers_text<std::uint8_t>(data);
    }
    std::string text;
    for (const ProtoFields& node : made.messages(1)) {
        std::string inputs;
        const auto [begin, end] = node.texts.equal_range(1);
        for (auto each = begin; each != end; ++each) {
            const std::string name(each->second);
            const auto constant = constants.find(name);
            inputs += (each == begin ? "" : ", ") +
                      (constant == constants.end() ? name : constant->second);
        }
        if (node.text(4) == "Cast") {
            inputs += fmt::format(" to {}", node.messages(5).at(0).number(3));
        }
        text += fmt::format("{}{}({})", text.empty() ? "" : " ", node.text(4), inputs);
    }
    return text;
}

std::string refusal(const ForwardGraph& graph) {
    try {
        return operators_of(graph);
    } catch (const ptp::RunError& error) {
        return error.what();
    }
}

// A graph of one operation on the tensor `x`.
ForwardGraph graph_of(const std::string& operation, GraphTensor input, GraphTensor result,
                      std::vector<GraphArgument> arguments) {
    ForwardGraph graph;
    graph.components = {"'net' (Net)"};
    graph.dimensions = {{"batch", 0, 0}};
    input.name = "x";
    graph.tensors = {std::move(input), std::move(result)};
    graph.inputs = {0};
    arguments.insert(arguments.begin(), {"self", TensorIndex{0}});
    graph.nodes.push_back({operation, 0, std::move(arguments), {1}});
    graph.outputs = {{"y", 1}};
    return graph;
}

GraphTensor floats(std::vector<GraphSize> sizes) {
    return {"", GraphType::kFloat, std::move(sizes)};
}

std::string emitted(const std::string& operation, const std::vector<GraphSize>& sizes,
                    std::vector<GraphArgument> arguments) {
    return refusal(graph_of(operation, floats(sizes), floats(sizes), std::move(arguments)));
}

GraphArgument integer(const std::string& name, std::int64_t value) {
    return {name, number(value)};
}

const std::string kRefused = "cannot export 'net' (Net) as ONNX: ";

}  // namespace

TEST_CASE("export: softplus has its beta, and no threshold other than 20") {
    CHECK(emitted("softplus", {kBatch, number(4)}, {integer("beta", 1)}) ==
          "Softplus(x) Identity(net/Softplus_0)");
    CHECK(
        emitted("softplus", {kBatch, number(4)}, {integer("beta", 2), integer("threshold", 20)}) ==
        "Mul(x, 2) Softplus(net/Mul_0) Div(net/Softplus_0, 2) Identity(net/Div_0)");
    CHECK(emitted("softplus", {kBatch, number(4)}, {integer("threshold", 5)}) ==
          kRefused + "softplus: a threshold other than 20");
}

TEST_CASE("export: a part that is counted from the end reaches the end") {
    const auto narrow = [&](std::int64_t start, GraphSize length) {
        return emitted("narrow", {kBatch, number(6)},
                       {integer("dim", 1), integer("start", start), {"length", length}});
    };
    CHECK(narrow(1, number(2)) == "Slice(x, 1, 3, 1, 1) Identity(net/Slice_0)");
    CHECK(narrow(-3, number(2)) == "Slice(x, -3, -1, 1, 1) Identity(net/Slice_0)");
    CHECK(narrow(-1, number(1)) == "Slice(x, -1, 9223372036854775807, 1, 1) Identity(net/Slice_0)");
    CHECK(narrow(-1, kBatch) ==
          kRefused +
              "narrow: a part of varying length that begins at a place counted from the end");
}

TEST_CASE("export: images enlarged by a factor that rounds their size are refused") {
    const auto enlarged = [&](std::int64_t size, std::int64_t result, double factor,
                              bool has_corners = false) {
        const std::vector<GraphSize> from = {kBatch, number(1), number(size), number(size)};
        const std::vector<GraphSize> to = {kBatch, number(1), number(result), number(result)};
        return refusal(
            graph_of("upsample_bilinear2d", floats(from), floats(to),
                     {{"align_corners", has_corners},
                      {"scale_factors", std::vector<GraphArgument>{{"", factor}, {"", factor}}}}));
    };
    CHECK(enlarged(4, 6, 1.5).ends_with("Identity(net/Resize_0)"));
    CHECK(enlarged(5, 7, 1.5) ==
          kRefused +
              "upsample_bilinear2d: by the factor 1.5, which its sizes are not multiples "
              "by: ONNX takes the numbers of other places");
    CHECK(enlarged(5, 7, 1.5, true).ends_with("Identity(net/Resize_0)"));
}

TEST_CASE("export: comparisons are computed in the type that libtorch promotes to") {
    const auto greater = [&](GraphType type, const GraphArgument::Value& other) {
        return refusal(graph_of("gt", {"", type, {kBatch}}, {"", GraphType::kBool, {kBatch}},
                                {{"other", other}}));
    };
    CHECK(greater(GraphType::kInt64, 0.5) ==
          "Cast(x to 1) Greater(net/Cast_0, 0.5) Identity(net/Greater_0)");
    CHECK(greater(GraphType::kInt64, number(INT64_MAX)) ==
          "Greater(x, 9223372036854775807) Identity(net/Greater_0)");
    CHECK(greater(GraphType::kByte, number(3)) == "Greater(x, 3) Identity(net/Greater_0)");
    CHECK(greater(GraphType::kDouble, 0.1) == "Greater(x, 0.1) Identity(net/Greater_0)");
    // Two tensors: the type that holds both.
    const auto two = [&](GraphType type, GraphTensor other) {
        ForwardGraph graph = graph_of("gt", {"", type, {kBatch}}, {"", GraphType::kBool, {kBatch}},
                                      {{"other", TensorIndex{2}}});
        other.name = "z";
        graph.tensors.push_back(std::move(other));
        graph.inputs.push_back(2);
        return refusal(graph);
    };
    CHECK(two(GraphType::kByte, {"", GraphType::kInt64, {kBatch}}) ==
          "Cast(x to 7) Greater(net/Cast_0, z) Identity(net/Greater_0)");
    CHECK(two(GraphType::kFloat, {"", GraphType::kDouble, {kBatch}}) ==
          "Cast(x to 11) Greater(net/Cast_0, z) Identity(net/Greater_0)");
    CHECK(two(GraphType::kInt64, {"", GraphType::kFloat, {}}) ==
          "Cast(x to 1) Greater(net/Cast_0, z) Identity(net/Greater_0)");
    CHECK(two(GraphType::kFloat, {"", GraphType::kDouble, {}}) ==
          "Cast(z to 1) Greater(x, net/Cast_0) Identity(net/Greater_0)");
    CHECK(two(GraphType::kInt32, {"", GraphType::kInt64, {}}) ==
          "Cast(z to 6) Greater(x, net/Cast_0) Identity(net/Greater_0)");
}

TEST_CASE("export: a number of a type that is not written is refused") {
    CHECK(refusal(graph_of("full_like", {"", GraphType::kHalf, {kBatch}},
                           {"", GraphType::kHalf, {kBatch}}, {{"fill_value", 0.5}})) ==
          kRefused + "full_like: a number of a type that ptp does not write, such as float16");
}

TEST_CASE("export: two unknown sizes are not the same size") {
    const auto flattened = [&](const std::vector<GraphSize>& from, std::int64_t begin,
                               std::int64_t end) {
        return refusal(graph_of("flatten", floats(from), floats({kBatch}),
                                {integer("start_dim", begin), integer("end_dim", end)}));
    };
    CHECK(flattened({kUnknown, number(2), number(3)}, 1, 2).starts_with("Flatten(x)"));
    CHECK(flattened({kUnknown, number(4), number(2), number(3)}, 2, 3) ==
          "Reshape(x, 0 4 -1) Identity(net/Reshape_0)");
    CHECK(flattened({number(2), kUnknown, kUnknown}, 0, 1) ==
          kRefused + "flatten: a size of it follows from the inputs in an unknown way");
}

TEST_CASE("export: a variance divides by the count without its correction") {
    const auto var = [&](const GraphArgument& correction) {
        return emitted("var", {kBatch, number(5)}, {integer("dim", 1), correction});
    };
    // The mean of 5 squares becomes their sum divided by 5 - 2 = 3, by 5 - 1, and stays as it is.
    const std::string mean =
        "ReduceMean(x) Sub(x, net/ReduceMean_0) Mul(net/Sub_0, net/Sub_0) ReduceMean(net/Mul_0) ";
    CHECK(var(integer("correction", 2)) ==
          mean + "Mul(net/ReduceMean_1, 1.6666666) Identity(net/Mul_1)");
    CHECK(var(integer("correction", 1)) ==
          mean + "Mul(net/ReduceMean_1, 1.25) Identity(net/Mul_1)");
    CHECK(var(integer("correction", 0)) == mean + "Identity(net/ReduceMean_1)");
}

TEST_CASE("export: dropout that drops in evaluation is refused") {
    const auto dropped = [&](double rate, bool is_training) {
        return emitted("dropout", {kBatch}, {{"p", rate}, {"train", is_training}});
    };
    CHECK(dropped(0.5, false) == "Identity(x)");
    CHECK(dropped(0, true) == "Identity(x)");
    CHECK(dropped(0.5, true) == kRefused + "dropout: it drops values in evaluation too");
}

TEST_CASE("export: a tensor that nothing has written is refused, not left out") {
    ForwardGraph graph = graph_of("relu", floats({kBatch}), floats({kBatch}), {});
    graph.tensors.push_back(floats({kBatch}));
    graph.nodes.front().arguments.front().value = TensorIndex{2};
    CHECK(refusal(graph) ==
          kRefused + "relu: it reads a tensor that no operation before it has written");
}

}  // namespace emitted_test
