// Operations of a graph that is written here by hand: what becomes of them in the file, and which
// are refused with which text.

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "ptp-export/onnx.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace translation_test {

namespace {

using namespace ptp::engine;

std::vector<GraphSize> sizes_of(const std::vector<std::int64_t>& numbers) {
    std::vector<GraphSize> sizes = {GraphSize{0, 1, {0}}};  // the batch first
    for (const std::int64_t number : numbers) {
        sizes.push_back(number < 0 ? GraphSize{.is_known = false} : GraphSize{.constant = number});
    }
    return sizes;
}

GraphArgument integers(const std::string& name, const std::vector<std::int64_t>& numbers) {
    std::vector<GraphArgument> list;
    for (const std::int64_t number : numbers) {
        list.push_back({"", GraphSize{.constant = number}});
    }
    return {name, list};
}

GraphArgument flag(const std::string& name, bool is_set) {
    return {name, is_set};
}

// A graph of one operation on one input of a batch, with these further arguments.
ForwardGraph graph_of(const std::string& operation, const std::vector<std::int64_t>& input,
                      std::vector<GraphArgument> arguments) {
    ForwardGraph graph;
    graph.components = {"'net' (Net)"};
    graph.dimensions = {{"batch", 0, 0}};
    graph.tensors.push_back({"x", GraphType::kFloat, sizes_of(input)});
    graph.tensors.push_back({"", GraphType::kFloat, sizes_of(input)});
    graph.inputs = {0};
    arguments.insert(arguments.begin(), {"self", TensorIndex{0}});
    graph.nodes.push_back({operation, 0, std::move(arguments), {1}});
    graph.outputs = {{"y", 1}};
    return graph;
}

std::string refusal(const ForwardGraph& graph) {
    return ptp::test::error_of<ptp::RunError>(ptp::kConfigurationError, [&] {
        ptp::onnx::OnnxFile file;
        ptp::onnx::translate(graph, file);
    });
}

std::vector<GraphArgument> windows(std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                                   bool rounds_up) {
    return {integers("kernel_size", {kernel, kernel}), integers("stride", {stride, stride}),
            integers("padding", {padding, padding}), flag("ceil_mode", rounds_up)};
}

}  // namespace

TEST_CASE("export: an operation without a row is refused with its component") {
    CHECK(refusal(graph_of("fft_rfft", {4}, {})) ==
          "cannot export 'net' (Net) as ONNX: fft_rfft: ptp cannot write this operation as "
          "ONNX");
}

TEST_CASE("export: pooling that ONNX defines otherwise is refused with its sizes") {
    // 6 = 2 + 2 * 2: nothing is rounded. 7 rounds up to a window that begins inside.
    CHECK(refusal(graph_of("max_pool2d", {1, 6, 6}, windows(2, 2, 0, true))).empty());
    CHECK(refusal(graph_of("max_pool2d", {1, 7, 7}, windows(2, 2, 0, true))).empty());
    CHECK(refusal(graph_of("max_pool2d", {1, 6, 6}, windows(3, 2, 1, true))) ==
          "cannot export 'net' (Net) as ONNX: max_pool2d: ceil_mode with a kernel of 3, a stride "
          "of 2 and a padding of 1 on a size of 6: ONNX defines the last window otherwise");
    CHECK(refusal(graph_of("max_pool2d", {1, -1, -1}, windows(2, 2, 0, true))) ==
          "cannot export 'net' (Net) as ONNX: max_pool2d: ceil_mode on images of unknown size: "
          "ONNX defines its border otherwise");
    CHECK(refusal(graph_of("avg_pool2d", {1, 7, 7}, windows(2, 2, 0, true))) ==
          "cannot export 'net' (Net) as ONNX: avg_pool2d: ceil_mode: ONNX divides the sums of "
          "windows beyond the border otherwise");
    CHECK(refusal(graph_of("adaptive_avg_pool2d", {1, 7, 7}, {integers("output_size", {2, 2})})) ==
          "cannot export 'net' (Net) as ONNX: adaptive_avg_pool2d: an output of 2 of 7, which it "
          "does not divide: ONNX has windows of one size alone");
    CHECK(refusal(graph_of("adaptive_avg_pool2d", {1, 8, 8}, {integers("output_size", {2, 2})}))
              .empty());
}

TEST_CASE("export: a number that varies, where ONNX needs a fixed one, is refused") {
    CHECK(refusal(graph_of("softmax", {4}, {{"dim", GraphSize{0, 1, {0}}}})) ==
          "cannot export 'net' (Net) as ONNX: softmax: its 'dim' depends on the sizes of the "
          "inputs");
}

TEST_CASE("export: the operations that can be written are listed once each") {
    const std::vector<std::string> names = ptp::onnx::known_operations();
    CHECK(names.size() > 120);
    for (std::size_t i = 1; i < names.size(); ++i) {
        CAPTURE(names[i]);
        CHECK(names[i - 1] < names[i]);
    }
}

}  // namespace translation_test
