// Counts multiply-adds by the sizes of inputs and results of the operations that libtorch reports.

#include "engine/output/operation_costs.hpp"

#include "engine/component/operation_watch.hpp"

#include <ATen/core/ivalue.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <optional>
#include <string_view>

namespace ptp::engine {

namespace {

OperationCosts*& costs_of_this_thread() {
    thread_local OperationCosts* costs = nullptr;
    return costs;
}

// The multiply-adds of an operation that is counted as a whole.
struct Cost {
    std::int64_t of_each_result = 0;  // for each number of it
    std::int64_t fixed = 0;
};

// Returns nullopt for an operation that is not counted as a whole.
std::optional<Cost> cost_of(std::string_view name, c10::ArrayRef<const c10::IValue> inputs) {
    const auto tensor = [&](std::size_t i) -> const at::Tensor* {
        const bool is_given =
            i < inputs.size() && inputs[i].isTensor() && inputs[i].toTensor().dim() > 0;
        return is_given ? &inputs[i].toTensor() : nullptr;
    };
    const auto is_one_of = [&](const auto& names) {
        return std::ranges::find(names, name) != names.end();
    };
    constexpr std::array<std::string_view, 5> kConvolutions = {"conv1d", "conv2d", "conv3d",
                                                               "convolution", "_convolution"};
    constexpr std::array<std::string_view, 4> kProducts = {"mm", "bmm", "mv", "dot"};
    constexpr std::array<std::string_view, 4> kSumsOfProducts = {"addmm", "addbmm", "baddbmm",
                                                                 "addmv"};
    constexpr std::size_t kIsTransposed = 6;  // of `convolution`
    const bool is_convolution = is_one_of(kConvolutions);
    const bool is_transposed = name.starts_with("conv_transpose") ||
                               (is_convolution && inputs.size() > kIsTransposed &&
                                inputs[kIsTransposed].isBool() && inputs[kIsTransposed].toBool());
    if ((is_convolution || is_transposed) && tensor(0) != nullptr && tensor(1) != nullptr) {
        // [out, in / groups, ...], or transposed [in, out / groups, ...]
        const std::int64_t of_each =
            tensor(1)->numel() / std::max<std::int64_t>(1, tensor(1)->size(0));
        return is_transposed ? Cost{.fixed = tensor(0)->numel() * of_each}
                             : Cost{.of_each_result = of_each};
    }
    const bool is_sum = is_one_of(kSumsOfProducts);
    const at::Tensor* const left = tensor(is_sum ? 1 : 0);  // [..., K]
    if (left == nullptr || !(is_sum || is_one_of(kProducts))) {
        return std::nullopt;
    }
    const std::int64_t summed = name == "addbmm" ? left->size(0) : 1;  // products of its batch
    return Cost{.of_each_result = summed * left->size(-1)};
}

}  // namespace

OperationCosts::OperationCosts() {
    assert(costs_of_this_thread() == nullptr);
    costs_of_this_thread() = this;
    const auto begin = [](const at::RecordFunction& function) {
        begin_one(function);
        return std::unique_ptr<at::ObserverContext>();
    };
    const auto end = [](const at::RecordFunction& function, at::ObserverContext*) {
        end_one(function);
    };
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(begin, end)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
}

OperationCosts::~OperationCosts() {
    at::removeCallback(handle_);
    costs_of_this_thread() = nullptr;
}

// libtorch passes callbacks on to its own threads, which count nothing.
void OperationCosts::begin_one(const at::RecordFunction& function) {
    if (OperationCosts* const costs = costs_of_this_thread(); costs != nullptr) {
        costs->begin(function);
    }
}

void OperationCosts::end_one(const at::RecordFunction& function) {
    if (OperationCosts* const costs = costs_of_this_thread(); costs != nullptr) {
        costs->end(function);
    }
}

// A transposed weight has its numbers where the weight has them.
void OperationCosts::add_input(const at::Tensor& tensor) {
    if (tensor.defined() && tensor.has_storage() && tensor.numel() > 0) {
        inputs_.push_back(tensor.data_ptr());
    }
}

void OperationCosts::begin(const at::RecordFunction& function) {
    const auto inputs = function.inputs();
    if (++depth_ == 1) {
        own_ = 0;
        inputs_.clear();
        for (const c10::IValue& input : inputs) {
            if (input.isTensor()) {
                add_input(input.toTensor());
            } else if (input.isTensorList()) {
                for (const at::Tensor& one : input.toTensorVector()) {
                    add_input(one);
                }
            }
        }
    }
    if (counted_depth_ == 0) {
        if (const auto cost = cost_of(plain_name(function.name()), inputs)) {
            counted_depth_ = depth_;
            of_each_result_ = cost->of_each_result;
            own_ += cost->fixed;
        }
    }
}

void OperationCosts::end(const at::RecordFunction& function) {
    const std::uint64_t depth = depth_;
    depth_ -= std::min<std::uint64_t>(1, depth_);
    const at::Tensor* result = nullptr;
    for (const c10::IValue& output : function.outputs()) {
        if (result == nullptr && output.isTensor() && output.toTensor().defined()) {
            result = &output.toTensor();
        }
    }
    if (counted_depth_ != 0 && depth == counted_depth_) {
        counted_depth_ = 0;
        own_ += result == nullptr ? 0 : result->numel() * of_each_result_;
    }
    if (depth != 1) {
        return;
    }
    multiply_adds_ += own_;
    if (result != nullptr && result->is_floating_point() && !result->is_view()) {
        operations_.push_back({.name = std::string(plain_name(function.name())),
                               .sizes = result->sizes().vec(),
                               .inputs = inputs_,
                               .multiply_adds = own_,
                               .bytes = result->nbytes()});
    }
}

}  // namespace ptp::engine
