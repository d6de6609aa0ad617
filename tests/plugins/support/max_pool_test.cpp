// Max-pooling has the bits of libtorch's, forward and backward.

#include "max_pool.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/record_function.h>
#include <doctest/doctest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/types.h>
#include <ptp/observation.hpp>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace max_pool_test {

using ptp::support::max_pool_2x2;
using ptp::support::relu_max_pool_2x2;

namespace {

// Not the sign of nan, which depends on the order in which a processor is given two operands.
bool have_same_bits(const at::Tensor& one, const at::Tensor& other) {
    const auto numbers = [](const at::Tensor& tensor) {
        const at::ScalarType bits = tensor.element_size() == 8   ? at::kLong
                                    : tensor.element_size() == 4 ? at::kInt
                                                                 : at::kShort;
        return tensor.detach().masked_fill(tensor.isnan(), 0).contiguous().view(bits);
    };
    return one.sizes() == other.sizes() && one.isnan().equal(other.isnan()) &&
           numbers(one).equal(numbers(other));
}

void compare(const at::Tensor& maps, const at::Tensor& gradient_numbers) {
    CAPTURE(maps.sizes());
    for (const bool has_relu : {false, true}) {
        CAPTURE(has_relu);
        const at::Tensor ours = maps.detach().clone(at::MemoryFormat::Preserve).requires_grad_();
        const at::Tensor theirs = ours.detach().clone(at::MemoryFormat::Preserve).requires_grad_();
        const at::Tensor our_result = has_relu ? relu_max_pool_2x2(ours) : max_pool_2x2(ours);
        const at::Tensor their_result = at::max_pool2d(has_relu ? theirs.relu() : theirs, 2);
        CHECK(have_same_bits(our_result, their_result));
        CHECK(our_result.strides() == their_result.strides());
        const at::Tensor gradients =
            gradient_numbers.slice(0, 0, our_result.numel()).view_as(our_result);
        our_result.backward(gradients);
        their_result.backward(gradients);
        CHECK(have_same_bits(ours.grad(), theirs.grad()));
        const at::NoGradGuard no_grad;
        CHECK(
            have_same_bits(has_relu ? relu_max_pool_2x2(maps) : max_pool_2x2(maps), their_result));
    }
}

void compare(const at::Tensor& maps) {
    compare(maps, at::randn({maps.numel()}, maps.options()));
}

// The results of the outermost operations that libtorch reports.
std::vector<std::string>* reported = nullptr;
int depth = 0;

// Returns the names of those of `work` that have a result through which a gradient passes.
std::vector<std::string> operations_of(const auto& work) {
    std::vector<std::string> names;
    reported = &names;
    const auto begin = [](const at::RecordFunction&) -> std::unique_ptr<at::ObserverContext> {
        ++depth;
        return nullptr;
    };
    const auto end = [](const at::RecordFunction& function, at::ObserverContext*) {
        if (--depth == 0 && function.outputs().front().toTensor().grad_fn() != nullptr) {
            reported->emplace_back(function.name());
        }
    };
    const at::CallbackHandle handle =
        at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end)
                                       .needsOutputs(true)
                                       .scopes({at::RecordScope::FUNCTION}));
    work();
    at::removeCallback(handle);
    return names;
}

// Returns a host that observes each call, and can do nothing else.
ptp_host observing_host() {
    ptp_host host{};
    host.extension = [](void*, const char* id) -> const void* {
        static const ptp_observation observation{.struct_size = sizeof(ptp_observation),
                                                 .reserved = 0,
                                                 .is_observed = [](void*) { return 1; }};
        return std::string_view(id) == PTP_HOST_OBSERVATION ? &observation : nullptr;
    };
    return host;
}

}  // namespace

TEST_CASE("max pool: the bits are libtorch's for every size of a row, odd ones too") {
    at::manual_seed(1);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        for (std::int64_t width = 2; width < 40; ++width) {
            compare(at::randn({2, 3, 4, width}, type));
            compare(at::randn({1, 1, 7, width}, type));
            compare(at::randn({3, 1, 2, width}, type));
            compare(at::randn({1, 2, width, 2}, type));
        }
    }
}

TEST_CASE("max pool: the bits are libtorch's where threads share the maps") {
    const int before = at::get_num_threads();
    at::set_num_threads(3);
    at::manual_seed(2);
    compare(at::randn({32, 6, 28, 28}));
    compare(at::randn({97, 16, 10, 10}));
    compare(at::randn({61, 5, 13, 11}));
    at::set_num_threads(before);
}

TEST_CASE("max pool: of equal numbers the first wins, and zeros keep their signs") {
    at::manual_seed(3);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        compare(at::randint(-1, 2, {2, 2, 18, 20}, type));
        compare(at::randint(-1, 2, {2, 2, 18, 20}, type).neg());
        compare(
            at::where(at::rand({2, 2, 12, 22}) < 0.5, at::zeros({}), at::full({}, -0.0)).to(type));
    }
}

TEST_CASE("max pool: a gradient of -0 is added to 0, as by libtorch") {
    const at::Tensor maps = at::rand({1, 1, 6, 18});
    compare(maps, at::full({maps.numel()}, -0.0));
}

TEST_CASE(
    "max pool: nan wins, the last of several, and infinite and denormal numbers are compared") {
    at::manual_seed(4);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const at::Tensor maps = at::randn({2, 3, 20, 26}, type);
        const auto nan = std::numeric_limits<double>::quiet_NaN();
        const auto infinity = std::numeric_limits<double>::infinity();
        compare(maps.masked_fill(at::rand_like(maps) < 0.4, nan));
        compare(maps.masked_fill(at::rand_like(maps) < 0.8, -infinity));
        compare(maps.masked_fill(at::rand_like(maps) < 0.3, infinity));
        compare(maps * (type == at::kFloat ? 1e-40 : 1e-310));
        at::Tensor gradients = at::randn({maps.numel()}, type);
        gradients.slice(0, 0, maps.numel(), 3).fill_(nan);
        compare(maps, gradients);
    }
}

TEST_CASE("max pool: what has no loops of its own is libtorch's") {
    at::manual_seed(5);
    compare(at::randn({2, 3, 8, 6}).contiguous(at::MemoryFormat::ChannelsLast));
    compare(at::randn({2, 3, 8, 6}).transpose(2, 3));
    compare(at::randn({2, 6, 8}));
    compare(at::randn({2, 3, 8, 6}).to(at::kBFloat16));
    CHECK(max_pool_2x2(at::randn({0, 3, 8, 6})).sizes() == at::IntArrayRef({0, 3, 4, 3}));
    const auto message_of = [](const auto& pool) -> std::string {
        try {
            pool();
        } catch (const c10::Error& error) {
            return error.what_without_backtrace();
        }
        return "";
    };
    const at::Tensor low = at::randn({2, 3, 1, 6});
    CHECK(message_of([&] { max_pool_2x2(low); }) == message_of([&] { at::max_pool2d(low, 2); }));
    CHECK(message_of([&] { max_pool_2x2(low); }) != "");
}

TEST_CASE("max pool: a gradient in another order of memory, and the gradient of a gradient") {
    at::manual_seed(6);
    for (const bool has_relu : {false, true}) {
        const at::Tensor maps = at::randn({2, 3, 6, 8}, at::kDouble).requires_grad_();
        const at::Tensor weights = at::randn({2, 3, 3, 4}, at::kDouble).transpose(2, 3);
        const auto second = [&](const at::Tensor& pooled) {
            const at::Tensor result = pooled.transpose(2, 3).mul(weights).square().sum();
            const at::Tensor first =
                torch::autograd::grad({result}, {maps}, {}, true, true).front();
            return torch::autograd::grad({first.pow(3).sum()}, {maps}).front();
        };
        CHECK(have_same_bits(second(has_relu ? relu_max_pool_2x2(maps) : max_pool_2x2(maps)),
                             second(at::max_pool2d(has_relu ? maps.relu() : maps, 2))));
    }
}

TEST_CASE("max pool: steps aside for libtorch's ReLU while somebody observes, and is seen itself") {
    at::manual_seed(7);
    const at::Tensor maps = at::randn({2, 3, 7, 18}).requires_grad_();
    const at::Tensor weights = at::randn({2, 3, 3, 9});
    const ptp_host host = observing_host();
    for (const bool has_relu : {false, true}) {
        CAPTURE(has_relu);
        const auto pool = [&] { return has_relu ? relu_max_pool_2x2(maps) : max_pool_2x2(maps); };
        const auto gradient = [&](const at::Tensor& pooled) {
            return torch::autograd::grad({(pooled * weights).sum()}, {maps}).front();
        };
        const at::Tensor ours = pool();
        at::Tensor observed;
        const std::vector<std::string> operations = operations_of([&] {
            const ptp::detail::Computing computing(host);
            observed = pool();
        });
        CHECK(operations == (has_relu ? std::vector<std::string>{"aten::relu", "max_pool2d"}
                                      : std::vector<std::string>{"max_pool2d"}));
        CHECK(observed.grad_fn()->name() == ours.grad_fn()->name());
        const auto* const before = observed.grad_fn()->next_edge(0).function.get();
        CHECK(before->name() == (has_relu ? "ReluBackward0" : "torch::autograd::AccumulateGrad"));
        CHECK(have_same_bits(ours, observed));
        CHECK(have_same_bits(gradient(ours), gradient(observed)));
        CHECK(operations_of(pool) ==
              std::vector<std::string>{has_relu ? "relu_max_pool2d" : "max_pool2d"});
    }
}

TEST_CASE("max pool: steps aside for libtorch's operations in a trace") {
    const at::Tensor maps = at::randn({1, 2, 4, 6});
    const auto traced = torch::jit::tracer::trace(
        {maps},
        [](torch::jit::Stack inputs) -> torch::jit::Stack {
            return {relu_max_pool_2x2(inputs.at(0).toTensor())};
        },
        [](const at::Tensor&) { return std::string(); });
    const std::string graph = traced.first->graph->toString();
    CHECK(graph.find("aten::relu") != std::string::npos);
    CHECK(graph.find("aten::max_pool2d") != std::string::npos);
}

}  // namespace max_pool_test
