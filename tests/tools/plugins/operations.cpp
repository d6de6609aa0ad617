// A model for tests of exported operations: each of its cases computes one operation of libtorch on
// images with numbers in [-2, 2]. The first word of a case is the operation.

#include <ptp/plugin.hpp>

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace {

using at::Tensor;
using Sizes = std::vector<std::int64_t>;

// Numbers that a trace takes as constants.
Tensor weights(const Sizes& sizes) {
    const at::tracer::impl::NoTracerDispatchMode without_trace;
    std::int64_t count = 1;
    for (const std::int64_t size : sizes) {
        count *= size;
    }
    return (at::arange(count, at::kFloat) * 1.7).sin().mul(0.6).view(sizes);
}

Tensor whole(const Sizes& numbers) {
    const at::tracer::impl::NoTracerDispatchMode without_trace;
    return at::tensor(numbers, at::kLong);
}

// [B, 3, 4, 4] -> [B, 3, 16], [B, 48], and flags
Tensor rows(const Tensor& x) {
    return x.reshape({x.size(0), 3, 16});
}
Tensor flat(const Tensor& x) {
    return x.reshape({x.size(0), 48});
}
Tensor some(const Tensor& x) {
    return x > 0.5;
}
Tensor above_zero(const Tensor& x) {
    return x.abs() + 0.25;
}

std::vector<Tensor> gates(std::int64_t count, std::int64_t layers) {
    const at::tracer::impl::NoTracerDispatchMode without_trace;
    std::vector<Tensor> made;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        for (int direction = 0; direction < 2; ++direction) {
            made.push_back(weights({count * 5, layer == 0 ? 16 : 10}));
            made.push_back(weights({count * 5, 5}) * 0.5);
            made.push_back(weights({count * 5}));
            made.push_back(weights({count * 5}) * 0.3);
        }
    }
    return made;
}

Tensor state(const Tensor& x, std::int64_t layers) {
    return at::zeros({2 * layers, x.size(0), 5}, x.options());
}

struct Case {
    const char* name;
    Tensor (*compute)(const Tensor& x);
};

constexpr Case kCases[] = {
    // Layers.
    {"conv1d", [](const Tensor& x) { return at::conv1d(rows(x), weights({5, 3, 3}), weights({5}), 2, 1); }},
    {"conv2d", [](const Tensor& x) { return at::conv2d(x, weights({6, 1, 2, 3}), {}, {1, 2}, {1, 2}, {2, 1}, 3); }},
    {"conv2d of even kernels, same", [](const Tensor& x) { return at::conv2d(x, weights({5, 3, 2, 4}), {}, 1, c10::string_view("same")); }},
    {"conv_transpose1d", [](const Tensor& x) { return at::conv_transpose1d(rows(x), weights({3, 2, 3}), weights({2}), 2, 1, 1); }},
    {"conv_transpose2d", [](const Tensor& x) { return at::conv_transpose2d(x, weights({3, 2, 3, 2}), {}, {2, 3}, {1, 0}, {1, 2}, 1, {2, 1}); }},
    {"max_pool1d", [](const Tensor& x) { return at::max_pool1d(rows(x), 3, 2, 1); }},
    {"max_pool2d", [](const Tensor& x) { return at::max_pool2d(x, {2, 3}, {1, 2}, {1, 1}); }},
    {"max_pool2d dilated", [](const Tensor& x) { return at::max_pool2d(x, 2, 1, 1, 2); }},
    {"max_pool2d rounded up", [](const Tensor& x) { return at::max_pool2d(x, 3, 2, 0, 1, true); }},
    {"avg_pool1d", [](const Tensor& x) { return at::avg_pool1d(rows(x), 3, 2, 1); }},
    {"avg_pool2d", [](const Tensor& x) { return at::avg_pool2d(x, 3, 2, 1); }},
    {"avg_pool2d without its border", [](const Tensor& x) { return at::avg_pool2d(x, 3, 1, 1, false, false); }},
    {"adaptive_avg_pool1d", [](const Tensor& x) { return at::adaptive_avg_pool1d(rows(x), 4); }},
    {"adaptive_avg_pool2d", [](const Tensor& x) { return at::adaptive_avg_pool2d(x, {2, 1}); }},
    {"batch_norm", [](const Tensor& x) { return at::batch_norm(x, weights({3}), weights({3}), weights({3}), weights({3}).abs() + 0.1, false, 0.1, 1e-3, false); }},
    {"layer_norm", [](const Tensor& x) { return at::layer_norm(x, {4, 4}, weights({4, 4}), weights({4, 4}), 1e-3); }},
    {"group_norm", [](const Tensor& x) { return at::group_norm(x, 3, weights({3}), weights({3}), 1e-3); }},
    {"embedding", [](const Tensor& x) { return at::embedding(weights({7, 5}), above_zero(x).to(at::kLong)); }},
    {"linear", [](const Tensor& x) { return at::linear(flat(x), weights({5, 48}), weights({5})); }},
    {"linear of matrices", [](const Tensor& x) { return at::linear(rows(x), weights({5, 16}), weights({5})); }},
    {"addmm", [](const Tensor& x) { return at::addmm(weights({5}), flat(x), weights({48, 5}), 0.5, 2); }},
    {"matmul", [](const Tensor& x) { return at::matmul(x, weights({4, 3})); }},
    {"mm", [](const Tensor& x) { return at::mm(flat(x), weights({48, 4})); }},
    {"bmm", [](const Tensor& x) { return at::bmm(rows(x), rows(x).transpose(1, 2)); }},
    {"upsample_nearest2d", [](const Tensor& x) { return at::upsample_nearest2d(x, {7, 9}); }},
    {"upsample_bilinear2d", [](const Tensor& x) { return at::upsample_bilinear2d(x, {7, 9}, false); }},
    {"upsample_bilinear2d of corners", [](const Tensor& x) { return at::upsample_bilinear2d(x, {7, 9}, true); }},
    {"lstm", [](const Tensor& x) { return std::get<0>(at::lstm(rows(x), {state(x, 2), state(x, 2)}, gates(4, 2), true, 2, 0, false, true, true)); }},
    {"gru", [](const Tensor& x) { return std::get<0>(at::gru(rows(x), state(x, 2), gates(3, 2), true, 2, 0, false, true, true)); }},
    {"rnn_tanh", [](const Tensor& x) { return std::get<0>(at::rnn_tanh(rows(x), state(x, 1), gates(1, 1), true, 1, 0, false, true, true)); }},
    {"scaled_dot_product_attention", [](const Tensor& x) { return at::softmax(at::matmul(rows(x), rows(x).transpose(1, 2)) / 4, 2); }},

    // Shapes.
    {"view", [](const Tensor& x) { return x.view({-1, 6, 8}); }},
    {"reshape", [](const Tensor& x) { return x.transpose(1, 3).reshape({x.size(0), 12, 4}); }},
    {"flatten", [](const Tensor& x) { return x.flatten(2, 3); }},
    {"unflatten", [](const Tensor& x) { return flat(x).view({x.size(0), 4, 12}); }},
    {"transpose", [](const Tensor& x) { return x.transpose(-1, 1) * 2; }},
    {"t", [](const Tensor& x) { return flat(x).t().t() * 2; }},
    {"permute", [](const Tensor& x) { return x.permute({0, -1, 1, 2}) * 2; }},
    {"squeeze", [](const Tensor& x) { return x.unsqueeze(2).squeeze(2).squeeze(1); }},
    {"expand", [](const Tensor& x) { return x.unsqueeze(1).expand({-1, 2, -1, 4, 4}) * 2; }},
    {"expand_as", [](const Tensor& x) { return weights({3, 1, 4}).expand_as(x) + x; }},
    {"repeat", [](const Tensor& x) { return x.repeat({1, 2, 1, 3}); }},
    {"slice", [](const Tensor& x) { return x.slice(2, 1, 4, 2) + x.slice(2, -3, -1); }},
    {"narrow", [](const Tensor& x) { return x.narrow(3, -2, 2); }},
    {"select", [](const Tensor& x) { return x.select(1, -1); }},
    {"cat", [](const Tensor& x) { return at::cat({x, x * 2}, -2); }},
    {"stack", [](const Tensor& x) { return at::stack({x, x * 2}, -1); }},
    {"chunk", [](const Tensor& x) { const auto parts = x.chunk(2, 3); return parts[1] - parts[0]; }},
    {"split", [](const Tensor& x) { const auto parts = x.split(2, 2); return parts[1] * parts[0]; }},
    {"split_with_sizes", [](const Tensor& x) { return x.split_with_sizes({1, 3}, 2)[1] * 2; }},
    {"unbind", [](const Tensor& x) { const auto parts = x.unbind(1); return parts[0] * parts[2]; }},
    {"constant_pad_nd", [](const Tensor& x) { return at::constant_pad_nd(x, {1, 0, 2, 3}, 0.5); }},
    {"contiguous", [](const Tensor& x) { return x.transpose(1, 2).contiguous().clone().detach(); }},

    // One number from each, or from each pair.
    {"abs", [](const Tensor& x) { return x.abs(); }},
    {"cos", [](const Tensor& x) { return x.cos(); }},
    {"erf", [](const Tensor& x) { return x.erf(); }},
    {"exp", [](const Tensor& x) { return (x * 20).exp(); }},
    {"floor", [](const Tensor& x) { return (x * 3).floor(); }},
    {"hardswish", [](const Tensor& x) { return at::hardswish(x * 3); }},
    {"log", [](const Tensor& x) { return above_zero(x).log(); }},
    {"neg", [](const Tensor& x) { return x.neg(); }},
    {"reciprocal", [](const Tensor& x) { return above_zero(x).reciprocal(); }},
    {"relu", [](const Tensor& x) { return x.relu(); }},
    {"sigmoid", [](const Tensor& x) { return (x * 30).sigmoid(); }},
    {"sign", [](const Tensor& x) { return x.relu().sign() + x.sign(); }},
    {"sin", [](const Tensor& x) { return x.sin(); }},
    {"softplus", [](const Tensor& x) { return at::softplus(x * 20, 2); }},
    {"sqrt", [](const Tensor& x) { return above_zero(x).sqrt(); }},
    {"tanh", [](const Tensor& x) { return (x * 9).tanh(); }},
    {"rsqrt", [](const Tensor& x) { return above_zero(x).rsqrt(); }},
    {"square", [](const Tensor& x) { return x.square(); }},
    {"gelu", [](const Tensor& x) { return at::gelu(x); }},
    {"gelu by tanh", [](const Tensor& x) { return at::gelu(x, "tanh"); }},
    {"silu", [](const Tensor& x) { return at::silu(x * 9); }},
    {"hardsigmoid", [](const Tensor& x) { return at::hardsigmoid(x * 3); }},
    {"hardtanh", [](const Tensor& x) { return at::hardtanh(x, -0.5, 1.5); }},
    {"relu6", [](const Tensor& x) { return at::relu6(x * 9); }},
    {"leaky_relu", [](const Tensor& x) { return at::leaky_relu(x, 0.2); }},
    {"elu", [](const Tensor& x) { return at::elu(x, 1.5); }},
    {"clamp", [](const Tensor& x) { return x.clamp(-0.5, 1.0); }},
    {"clamp_min", [](const Tensor& x) { return x.clamp_min(0.25); }},
    {"clamp_max", [](const Tensor& x) { return x.clamp_max(0.25); }},
    {"softmax", [](const Tensor& x) { return (x * 40).softmax(1); }},
    {"log_softmax", [](const Tensor& x) { return (x * 40).log_softmax(-2); }},
    {"add", [](const Tensor& x) { return x.add(x.exp(), 2); }},
    {"sub", [](const Tensor& x) { return x.sub(x.exp(), 3); }},
    {"rsub", [](const Tensor& x) { return at::rsub(x, 1.5, 2); }},
    {"mul", [](const Tensor& x) { return x * some(x); }},
    {"div", [](const Tensor& x) { return x / above_zero(x); }},
    {"div rounded down", [](const Tensor& x) { return at::div(x * 5, above_zero(x), "floor"); }},
    {"remainder", [](const Tensor& x) { return (x * 5).remainder(-1.5); }},
    {"remainder of whole numbers",
     [](const Tensor& x) { return (x * 5).floor().to(at::kLong).remainder(3).to(at::kFloat); }},
    {"maximum", [](const Tensor& x) { return at::maximum(x, x.neg()); }},
    {"minimum", [](const Tensor& x) { return at::minimum(x, x.neg()); }},
    {"pow", [](const Tensor& x) { return above_zero(x).pow(2.5) + x.pow(3); }},
    {"eq", [](const Tensor& x) { return x.floor() == -1; }},
    {"ne", [](const Tensor& x) { return x.floor() != -1; }},
    {"lt", [](const Tensor& x) { return x < 0; }},
    {"le", [](const Tensor& x) { return x.floor() <= 0; }},
    {"gt", [](const Tensor& x) { return x > x.neg(); }},
    {"ge", [](const Tensor& x) { return x.floor() >= 0; }},
    {"logical_and", [](const Tensor& x) { return at::logical_and(some(x), x < 1); }},
    {"logical_or", [](const Tensor& x) { return at::logical_or(some(x), x < 0); }},
    {"logical_not", [](const Tensor& x) { return some(x).logical_not(); }},
    {"bitwise_and", [](const Tensor& x) { return some(x).bitwise_and(x < 1); }},
    {"bitwise_or", [](const Tensor& x) { return some(x).bitwise_or(x < 0); }},
    {"bitwise_not", [](const Tensor& x) { return some(x).bitwise_not(); }},
    {"__and__", [](const Tensor& x) { return some(x).__and__(x < 1); }},
    {"__or__", [](const Tensor& x) { return some(x).__or__(x < 0); }},
    {"to", [](const Tensor& x) { return (x * 3).to(at::kLong).to(at::kDouble).type_as(x); }},

    // Sums over dimensions, new tensors, choices by index.
    {"sum", [](const Tensor& x) { return x.sum({1, -1}); }},
    {"sum of flags", [](const Tensor& x) { return some(x).sum(Sizes{2}, true); }},
    {"mean", [](const Tensor& x) { return x.mean({2, 3}, true); }},
    {"max", [](const Tensor& x) { return std::get<0>(x.max(1)) + std::get<1>(x.max(1)); }},
    {"min", [](const Tensor& x) { return std::get<0>(x.min(-1, true)); }},
    {"amax", [](const Tensor& x) { return x.amax({1, 2}); }},
    {"amin", [](const Tensor& x) { return x.amin(Sizes{3}, true); }},
    {"argmax", [](const Tensor& x) { return x.argmax(1); }},
    {"argmin", [](const Tensor& x) { return x.argmin(-1, true); }},
    {"norm", [](const Tensor& x) { return x.norm(2, Sizes{1}) + x.norm(1, Sizes{1}); }},
    {"linalg_vector_norm", [](const Tensor& x) { return at::linalg_vector_norm(x, 2, Sizes{2, 3}); }},
    {"cumsum", [](const Tensor& x) { return x.cumsum(-1); }},
    {"var", [](const Tensor& x) { return x.var(Sizes{2, 3}, true) + x.var(Sizes{2, 3}, false); }},
    {"std", [](const Tensor& x) { return x.std(Sizes{1, 3}, true); }},
    {"zeros", [](const Tensor& x) { return at::zeros({x.size(0), 3, 1, 1}) + x + at::zeros_like(x) + x.new_zeros({4}); }},
    {"ones", [](const Tensor& x) { return at::ones({x.size(0), 3, 1, 1}) + x + at::ones_like(x) + x.new_ones({4}); }},
    {"full", [](const Tensor& x) { return at::full({x.size(0), 1, 1, 1}, 0.3) + x + at::full_like(x, 2) + x.new_full({4}, -1); }},
    {"fill", [](const Tensor& x) { return (x * 1).fill_(0.5) + (x * 1).zero_() + x; }},
    {"arange", [](const Tensor& x) { return x + at::arange(x.size(0)).view({x.size(0), 1, 1, 1}) * at::arange(1.0, 5.0, 1.0); }},
    {"triu", [](const Tensor& x) { return x.triu(1) + x.triu(-1); }},
    {"tril", [](const Tensor& x) { return x.tril() + some(x).tril(-1); }},
    {"masked_fill", [](const Tensor& x) { return x.masked_fill(some(x), -3); }},
    {"where", [](const Tensor& x) { return at::where(some(x), x, x.neg() * 2); }},
    {"gather", [](const Tensor& x) { return x.gather(2, above_zero(x).to(at::kLong)); }},
    {"index_select", [](const Tensor& x) { return x.index_select(-1, whole({3, 0, 3})); }},
    {"index", [](const Tensor& x) { return x.index({at::indexing::Slice(), whole({2, 0})}); }},
    {"sort", [](const Tensor& x) { const auto sorted = x.sort(1, true); return std::get<0>(sorted) + std::get<1>(sorted); }},
    {"argsort", [](const Tensor& x) { return x.argsort(std::int64_t{1}); }},
    {"one_hot", [](const Tensor& x) { return at::one_hot(above_zero(x).to(at::kLong), 3); }},
    {"einsum", [](const Tensor& x) { return at::einsum("bchw, bdhw -> bcd", {x, x}); }},
};

class Operation {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "Operation";
    static constexpr const char* summary = "Computes one operation of libtorch";
    static constexpr std::array ports{ptp::input("inputs", PTP_FLOAT, "B, 3, 4, 4", "In [0, 1]"),
                                      ptp::output("outputs", PTP_FLOAT, "B, size", "Results")};

    struct Config {
        std::string operation;

        static constexpr auto settings() {
            return std::tuple{ptp::setting("operation", &Config::operation, {.help = "A case"})};
        }
    };

    explicit Operation(const Config& config) {
        const auto* const found = std::ranges::find(kCases, std::string_view(config.operation),
                                                    [](const Case& each) { return each.name; });
        if (found == std::end(kCases)) {
            throw ptp::ConfigError("no case has this name");
        }
        compute_ = found->compute;
    }

    at::Tensor forward(const at::Tensor& inputs) {
        return compute_((inputs * 4 - 2).clamp(-2, 2)).to(at::kFloat).reshape({inputs.size(0), -1});
    }

private:
    Tensor (*compute_)(const Tensor& x) = nullptr;
};

}  // namespace

PTP_PLUGIN("operations", "1.0.0", Operation);
