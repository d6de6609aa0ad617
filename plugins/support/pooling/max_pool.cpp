// The autograd function around the kernels of pooling_kernels.cpp. Tensors that these do not
// support, gradients of gradients, and traces are computed by libtorch. Where somebody observes the
// operations, the ReLU is libtorch's, too, and the pooling reports itself as an operation.

#include "max_pool.hpp"

#include "pooling_kernels.hpp"

#include <ptp/observation.hpp>

#include <ATen/TracerMode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool2d_with_indices.h>
#include <ATen/ops/max_pool2d_with_indices_backward.h>
#include <ATen/ops/threshold_backward.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>

#include <vector>

namespace ptp::support {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kSize = 2;

// Returns whether this kernel is used: libtorch has faster loops if channels are last in memory.
bool has_kernel(const at::Tensor& maps) {
    const at::ScalarType type = maps.scalar_type();
    return maps.dim() == 4 && maps.is_cpu() && maps.layout() == at::kStrided &&
           (type == at::kFloat || type == at::kDouble) && maps.is_contiguous() &&
           maps.size(2) >= kSize && maps.size(3) >= kSize && maps.numel() > 0 && !maps.is_neg() &&
           !maps._is_zerotensor();
}

MapSizes sizes_of(const at::Tensor& maps) {
    return {maps.size(0) * maps.size(1), maps.size(2), maps.size(3)};
}

at::Tensor pooled_from(const at::Tensor& maps, Before before) {
    at::Tensor pooled =
        at::empty({maps.size(0), maps.size(1), maps.size(2) / kSize, maps.size(3) / kSize},
                  maps.options().requires_grad(false));
    if (maps.scalar_type() == at::kFloat) {
        pool(maps.data_ptr<float>(), pooled.data_ptr<float>(), sizes_of(maps), before);
    } else {
        pool(maps.data_ptr<double>(), pooled.data_ptr<double>(), sizes_of(maps), before);
    }
    return pooled;
}

at::Tensor gradients_of(const at::Tensor& maps, const at::Tensor& gradients, Before before) {
    const at::Tensor from = gradients.contiguous();
    at::Tensor result = at::empty_like(maps);
    if (maps.scalar_type() == at::kFloat) {
        pool_backward(maps.data_ptr<float>(), from.data_ptr<float>(), result.data_ptr<float>(),
                      sizes_of(maps), before);
    } else {
        pool_backward(maps.data_ptr<double>(), from.data_ptr<double>(), result.data_ptr<double>(),
                      sizes_of(maps), before);
    }
    return result;
}

// Computes the gradients with libtorch, for gradients of gradients.
at::Tensor differentiable_gradients_of(const at::Tensor& maps, const at::Tensor& gradients,
                                       Before before) {
    const at::Tensor input = before == Before::kRelu ? maps.detach().relu() : maps.detach();
    const at::Tensor indices = std::get<1>(at::max_pool2d_with_indices(input, kSize));
    at::Tensor result =
        at::max_pool2d_with_indices_backward(gradients, input, kSize, kSize, 0, 1, false, indices);
    return before == Before::kRelu ? at::threshold_backward(result, input, 0) : result;
}

// The backward pass searches again for the winning number of a window: that is faster than keeping
// its index, and the maps are kept in any case.
class MaxPool2x2 : public torch::autograd::Function<MaxPool2x2> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& maps, bool has_relu) {
        context->save_for_backward({maps});
        context->saved_data["has_relu"] = has_relu;
        return pooled_from(maps, has_relu ? Before::kRelu : Before::kNothing);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients) {
        const at::Tensor maps = context->get_saved_variables().front();
        const Before before =
            context->saved_data["has_relu"].toBool() ? Before::kRelu : Before::kNothing;
        if (!gradients.front().defined()) {
            return {at::Tensor(), at::Tensor()};
        }
        const bool is_plain =
            !at::GradMode::is_enabled() && gradients.front().scalar_type() == maps.scalar_type();
        return {is_plain ? gradients_of(maps, gradients.front(), before)
                         : differentiable_gradients_of(maps, gradients.front(), before),
                at::Tensor()};
    }
};

// Computes with the kernel, and reports the result as libtorch does that of its own operations.
at::Tensor reported(const at::Tensor& maps, bool has_relu) {
    at::RecordFunction record(at::RecordScope::FUNCTION);
    if (record.isActive()) {
        record.before(has_relu ? "relu_max_pool2d" : "max_pool2d");
    }
    const at::Tensor result = at::GradMode::is_enabled() && maps.requires_grad()
                                  ? MaxPool2x2::apply(maps, has_relu)
                                  : pooled_from(maps, has_relu ? Before::kRelu : Before::kNothing);
    if (record.needsOutputs()) {
        record.setOutputs(std::vector<c10::IValue>{result});
    }
    return result;
}

at::Tensor pooled(const at::Tensor& maps, bool has_relu) {
    if (!has_kernel(maps) || at::tracer::impl::is_dispatch_enabled()) {
        return at::max_pool2d(has_relu ? maps.relu() : maps, kSize);
    }
    return has_relu && is_observed() ? reported(maps.relu(), false) : reported(maps, has_relu);
}

}  // namespace

at::Tensor max_pool_2x2(const at::Tensor& maps) {
    return pooled(maps, false);
}

at::Tensor relu_max_pool_2x2(const at::Tensor& maps) {
    return pooled(maps, true);
}

}  // namespace ptp::support
