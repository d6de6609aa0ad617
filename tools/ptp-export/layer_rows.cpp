// Layers: convolutions, pooling, norms, embeddings and products of matrices. What ONNX defines
// otherwise at the border of images is refused.

#include "ptp-export/rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ptp::onnx {

namespace {

// Repeats one number for each dimension of images.
Integers repeated(Integers numbers, std::size_t count) {
    if (numbers.size() == 1) {
        numbers.resize(count, numbers.front());
    }
    return numbers;
}

// The padding at the beginning of each dimension, then at the end.
Integers both_ends(const Integers& padding) {
    Integers both = padding;
    both.insert(both.end(), padding.begin(), padding.end());
    return both;
}

std::size_t image_dimensions(const Translation& t, std::string_view argument) {
    return static_cast<std::size_t>(t.rank(argument)) - 2;
}

Integers constant_sizes(const GraphTensor& tensor) {
    Integers sizes;
    for (const GraphSize& size : tensor.sizes) {
        sizes.push_back(size.is_constant() ? size.constant : -1);
    }
    return sizes;
}

// Returns the input, the weights and the bias, if there is one.
Names with_weights(Translation& t) {
    Names inputs = {t.tensor("input"), t.tensor("weight")};
    if (t.has("bias")) {
        inputs.push_back(t.tensor("bias"));
    }
    return inputs;
}

void convolution(Translation& t) {
    const std::size_t count = image_dimensions(t, "weight");
    if (t.rank("input") != t.rank("weight")) {
        t.refuse("its input has no batch");
    }
    const Integers weight = constant_sizes(t.described("weight"));
    Attributes attributes = {{"kernel_shape", Integers(weight.begin() + 2, weight.end())},
                             {"strides", repeated(t.integers("stride"), count)},
                             {"dilations", repeated(t.integers("dilation"), count)},
                             {"group", t.integer("groups")}};
    if (t.text("padding").empty()) {
        attributes.push_back({"pads", both_ends(repeated(t.integers("padding"), count))});
    } else if (t.text("padding") == "same") {
        Integers pads(2 * count);
        const Integers dilation = repeated(t.integers("dilation"), count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t total = dilation[i] * (weight[i + 2] - 1);
            pads[i] = total / 2;
            pads[i + count] = total - total / 2;
        }
        attributes.push_back({"pads", pads});
    }
    const bool is_transposed = t.flag("transposed");
    if (is_transposed) {
        attributes.push_back({"output_padding", repeated(t.integers("output_padding"), count)});
    }
    t.give(t.emit(is_transposed ? "ConvTranspose" : "Conv", with_weights(t), attributes));
}

void transposed_convolution(Translation& t) {
    const std::size_t count = image_dimensions(t, "weight");
    const Integers weight = constant_sizes(t.described("weight"));
    t.give(t.emit("ConvTranspose", with_weights(t),
                  {{"kernel_shape", Integers(weight.begin() + 2, weight.end())},
                   {"strides", repeated(t.integers("stride"), count)},
                   {"pads", both_ends(repeated(t.integers("padding"), count))},
                   {"output_padding", repeated(t.integers("output_padding"), count)},
                   {"dilations", repeated(t.integers("dilation"), count)},
                   {"group", t.integer("groups")}}));
}

struct Windows {
    Integers kernel;
    Integers stride;
    Integers padding;
    Integers dilation;
};

Windows windows_of(const Translation& t) {
    const std::size_t count = image_dimensions(t, "self");
    Windows found;
    found.kernel = repeated(t.integers("kernel_size"), count);
    found.stride = repeated(t.integers("stride"), count);
    if (found.stride.empty()) {
        found.stride = found.kernel;
    }
    found.padding = repeated(t.integers("padding"), count);
    found.dilation =
        t.has("dilation") ? repeated(t.integers("dilation"), count) : Integers(count, 1);
    return found;
}

// Returns whether windows beyond the border are to be written as such. libtorch leaves out a last
// window that would begin in the padding; readers of ONNX differ there, so sizes must be known and
// the padding 0.
bool rounds_up(const Translation& t, const Windows& windows) {
    if (!t.flag("ceil_mode")) {
        return false;
    }
    const Integers sizes = constant_sizes(t.described("self"));
    bool is_needed = false;
    for (std::size_t i = 0; i < windows.kernel.size(); ++i) {
        const std::int64_t size = sizes[i + 2];
        const std::int64_t room =
            size + 2 * windows.padding[i] - windows.dilation[i] * (windows.kernel[i] - 1) - 1;
        if (size < 0) {
            t.refuse("ceil_mode on images of unknown size: ONNX defines its border otherwise");
        }
        if (room % windows.stride[i] == 0) {
            continue;
        }
        is_needed = true;
        const bool begins_inside = (room / windows.stride[i] + 1) * windows.stride[i] < size;
        if (windows.padding[i] != 0 || !begins_inside) {
            t.refuse(
                fmt::format("ceil_mode with a kernel of {}, a stride of {} and a padding of "
                            "{} on a size of {}: ONNX defines the last window otherwise",
                            windows.kernel[i], windows.stride[i], windows.padding[i], size));
        }
    }
    return is_needed;
}

void max_pooling(Translation& t) {
    const Windows windows = windows_of(t);
    t.give(t.emit("MaxPool", {t.tensor("self")},
                  {{"kernel_shape", windows.kernel},
                   {"strides", windows.stride},
                   {"pads", both_ends(windows.padding)},
                   {"dilations", windows.dilation},
                   {"ceil_mode", std::int64_t{rounds_up(t, windows)}}}));
}

void average_pooling(Translation& t) {
    const Windows windows = windows_of(t);
    if (t.has("divisor_override")) {
        t.refuse("divisor_override: ONNX divides by the size of the window");
    }
    if (rounds_up(t, windows)) {
        t.refuse("ceil_mode: ONNX divides the sums of windows beyond the border otherwise");
    }
    t.give(t.emit("AveragePool", {t.tensor("self")},
                  {{"kernel_shape", windows.kernel},
                   {"strides", windows.stride},
                   {"pads", both_ends(windows.padding)},
                   {"count_include_pad", std::int64_t{t.flag("count_include_pad", true)}}}));
}

void adaptive_average_pooling(Translation& t) {
    const std::size_t count = image_dimensions(t, "self");
    const Integers wanted = repeated(t.integers("output_size"), count);
    if (std::ranges::all_of(wanted, [](std::int64_t size) { return size == 1; })) {
        t.give(t.emit("GlobalAveragePool", {t.tensor("self")}));
        return;
    }
    const Integers sizes = constant_sizes(t.described("self"));
    Integers kernel;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t size = sizes[i + 2];
        if (size < 0) {
            t.refuse(
                fmt::format("an output of {} of images of unknown size: ONNX has windows of "
                            "one size alone",
                            wanted[i]));
        }
        if (size % wanted[i] != 0) {
            t.refuse(
                fmt::format("an output of {} of {}, which it does not divide: ONNX has "
                            "windows of one size alone",
                            wanted[i], size));
        }
        kernel.push_back(size / wanted[i]);
    }
    t.give(
        t.emit("AveragePool", {t.tensor("self")}, {{"kernel_shape", kernel}, {"strides", kernel}}));
}

void batch_norm(Translation& t) {
    if (!t.has("running_mean") || t.flag("training")) {
        t.refuse("it normalizes by its batch, even in evaluation");
    }
    const Integers channels = constant_sizes(t.described("running_mean"));
    t.give(t.emit("BatchNormalization",
                  {t.tensor("input"), t.has("weight") ? t.tensor("weight") : t.filled(channels, 1),
                   t.has("bias") ? t.tensor("bias") : t.filled(channels, 0),
                   t.tensor("running_mean"), t.tensor("running_var")},
                  {{"epsilon", t.real("eps", 1e-5)}}));
}

void layer_norm(Translation& t) {
    const Integers shape = t.integers("normalized_shape");
    Names inputs = {t.tensor("input"), t.has("weight") ? t.tensor("weight") : t.filled(shape, 1)};
    if (t.has("bias")) {
        inputs.push_back(t.tensor("bias"));
    }
    t.give(t.emit(
        "LayerNormalization", inputs,
        {{"axis", -static_cast<std::int64_t>(shape.size())}, {"epsilon", t.real("eps", 1e-5)}}));
}

// Groups become the channels of an instance norm.
void group_norm(Translation& t) {
    const std::int64_t groups = t.integer("num_groups");
    const std::string input = t.tensor("input");
    const std::string grouped = t.emit("Reshape", {input, t.constant(Integers{0, groups, -1})});
    const std::string normalized =
        t.emit("InstanceNormalization", {grouped, t.filled({groups}, 1), t.filled({groups}, 0)},
               {{"epsilon", t.real("eps", 1e-5)}});
    std::string result = t.emit("Reshape", {normalized, t.emit("Shape", {input})});
    Integers places(static_cast<std::size_t>(t.rank("input")) - 2);
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<std::int64_t>(i) + 1;
    }
    const auto broadcast = [&](std::string_view argument) {
        const std::string name = t.tensor(argument);
        return places.empty() ? name : t.emit("Unsqueeze", {name, t.constant(places)});
    };
    if (t.has("weight")) {
        result = t.emit("Mul", {result, broadcast("weight")});
    }
    if (t.has("bias")) {
        result = t.emit("Add", {result, broadcast("bias")});
    }
    t.give(result);
}

void embedding(Translation& t) {
    t.give(
        t.emit("Gather", {t.tensor("weight"), t.tensor("indices")}, {{"axis", std::int64_t{0}}}));
}

void linear(Translation& t) {
    if (t.rank("input") == 2) {
        t.give(t.emit("Gemm", with_weights(t), {{"transB", std::int64_t{1}}}));
        return;
    }
    const std::string weight =
        t.emit("Transpose", {t.tensor("weight")}, {{"perm", Integers{1, 0}}});
    const std::string product = t.emit("MatMul", {t.tensor("input"), weight});
    t.give(t.has("bias") ? t.emit("Add", {product, t.tensor("bias")}) : product);
}

void sum_and_product(Translation& t) {  // addmm
    const GraphNode* const turned = t.maker("mat2", "t");
    const bool is_turned = turned != nullptr && !t.is_known("mat2");
    t.give(t.emit("Gemm",
                  {t.tensor("mat1"),
                   is_turned ? t.name_of(turned->arguments.front().value) : t.tensor("mat2"),
                   t.tensor("self")},
                  {{"alpha", t.real("alpha", 1)},
                   {"beta", t.real("beta", 1)},
                   {"transB", std::int64_t{is_turned}}}));
}

void matrix_product(Translation& t) {
    t.give(t.emit("MatMul", {t.tensor("self"), t.tensor(t.has("mat2") ? "mat2" : "other")}));
}

// Returns the factor of a dimension of images that libtorch computes places by, if it is given; 0:
// none, and it divides the sizes. Both are the same for factors that the sizes are multiples by.
double place_factor(const Translation& t, std::size_t axis) {
    double factor = 0;
    if (const auto& factors = t.list("scale_factors"); axis < factors.size()) {
        const auto* const real = std::get_if<double>(&factors[axis].value);
        factor = real == nullptr ? 0 : *real;
    } else {
        factor = t.real(axis == 0 ? "scales_h" : "scales_w", 0);
    }
    const GraphSize& input = t.described(t.has("self") ? "self" : "input").sizes[axis + 2];
    const GraphSize& output = t.result().sizes[axis + 2];
    const bool is_exact =
        input.is_constant() && output.is_constant()
            ? factor * static_cast<double>(input.constant) == static_cast<double>(output.constant)
            : factor == std::floor(factor);
    return is_exact || factor <= 0 ? 0 : factor;
}

// Enlarges images to sizes, or by factors. Both keep the places of libtorch.
void upsample(Translation& t, const char* mode, const char* places) {
    const std::string input = t.tensor("self").empty() ? t.tensor("input") : t.tensor("self");
    const Attributes attributes = {{"mode", std::string(mode)},
                                   {"coordinate_transformation_mode", std::string(places)},
                                   {"nearest_mode", std::string("floor")}};
    if (!t.flag("align_corners")) {
        const double height = place_factor(t, 0);
        const double width = place_factor(t, 1);
        if (height != 0 || width != 0) {
            t.refuse(
                fmt::format("by the factor {}, which its sizes are not multiples by: ONNX "
                            "takes the numbers of other places",
                            height != 0 ? height : width));
        }
    }
    std::vector<GraphArgument> sizes;
    const std::string_view name = t.has("self") ? "self" : "input";
    for (std::size_t i = 0; i < 2; ++i) {
        sizes.push_back({"", t.described(name).sizes[i]});
    }
    for (std::size_t i = 2; i < t.result().sizes.size(); ++i) {
        sizes.push_back({"", t.result().sizes[i]});
    }
    t.give(t.emit("Resize", {input, "", "", t.sizes(sizes)}, attributes));
}

void upsample_nearest(Translation& t) {
    upsample(t, "nearest", "asymmetric");
}

void upsample_linear(Translation& t) {
    upsample(t, "linear", t.flag("align_corners") ? "align_corners" : "half_pixel");
}

constexpr Row kLayerRows[] = {{"conv1d", convolution},
                              {"conv2d", convolution},
                              {"convolution", convolution},
                              {"_convolution", convolution},
                              {"conv_transpose1d", transposed_convolution},
                              {"conv_transpose2d", transposed_convolution},
                              {"max_pool1d", max_pooling},
                              {"max_pool2d", max_pooling},
                              {"avg_pool1d", average_pooling},
                              {"avg_pool2d", average_pooling},
                              {"adaptive_avg_pool1d", adaptive_average_pooling},
                              {"adaptive_avg_pool2d", adaptive_average_pooling},
                              {"_convolution_mode", convolution},
                              {"batch_norm", batch_norm},
                              {"layer_norm", layer_norm},
                              {"group_norm", group_norm},
                              {"embedding", embedding},
                              {"linear", linear},
                              {"addmm", sum_and_product},
                              {"matmul", matrix_product},
                              {"mm", matrix_product},
                              {"bmm", matrix_product},
                              {"upsample_nearest2d", upsample_nearest},
                              {"upsample_bilinear2d", upsample_linear}};

}  // namespace

std::span<const Row> layer_rows() {
    return kLayerRows;
}

}  // namespace ptp::onnx
