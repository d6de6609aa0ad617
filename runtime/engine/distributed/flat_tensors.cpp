// Sends many tensors as one, and takes it apart.

#include "engine/distributed/flat_tensors.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>

#include <map>
#include <utility>

namespace ptp::engine {

namespace {

using ByType = std::map<std::pair<at::ScalarType, at::DeviceType>, std::vector<at::Tensor>>;

ByType by_type(const std::vector<at::Tensor>& tensors) {
    ByType groups;
    for (const at::Tensor& tensor : tensors) {
        groups[{tensor.scalar_type(), tensor.device().type()}].push_back(tensor);
    }
    return groups;
}

at::Tensor flat(const std::vector<at::Tensor>& tensors) {
    std::vector<at::Tensor> rows;
    for (const at::Tensor& tensor : tensors) {
        rows.push_back(tensor.detach().reshape({-1}));
    }
    return at::cat(rows);
}

void unflatten(const at::Tensor& all, const std::vector<at::Tensor>& into) {
    std::int64_t first = 0;
    for (const at::Tensor& tensor : into) {
        tensor.detach().copy_(all.narrow(0, first, tensor.numel()).view(tensor.sizes()));
        first += tensor.numel();
    }
}

void broadcast_flat(Group& group, const std::vector<at::Tensor>& tensors, const char* what,
                    std::uint64_t from = 0) {
    const at::Tensor all = flat(tensors);
    // gloo has no type for these, and copying them needs none.
    const at::Tensor bytes = all.view(at::kByte);
    group.broadcast(bytes, what, from);
    if (group.rank() != from) {
        unflatten(all, tensors);
    }
}

}  // namespace

void broadcast_all(Group& group, const std::vector<at::Tensor>& tensors, const char* what,
                   std::uint64_t from) {
    const c10::AutoGradMode without_gradients(false);
    for (const auto& [type, of_type] : by_type(tensors)) {
        broadcast_flat(group, of_type, what, from);
    }
}

void average_all(Group& group, const std::vector<at::Tensor>& tensors, double weight,
                 const char* what) {
    const c10::AutoGradMode without_gradients(false);
    for (const auto& [type, of_type] : by_type(tensors)) {
        if (!at::isFloatingType(type.first)) {
            broadcast_flat(group, of_type, what);
            continue;
        }
        const at::Tensor values = flat(of_type).to(at::kDouble);
        const at::Tensor all =  // 0 times infinity is NaN
            at::cat({weight == 0 ? at::zeros_like(values) : values.mul(weight),
                     at::full({1}, weight, values.options())});
        group.sum(all, what);
        const std::int64_t count = values.numel();
        unflatten(all.narrow(0, 0, count).div(all.narrow(0, count, 1)), of_type);
    }
}

}  // namespace ptp::engine
