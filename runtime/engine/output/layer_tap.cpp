// Summarizes tensors as they are made, and hooks the nodes of the graph for their gradients.

#include "engine/output/layer_tap.hpp"

#include "base/error.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"

#include <fmt/core.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>

#include <exception>
#include <utility>

namespace ptp::engine {

namespace {

// The most operations of a model that have a row: a recurrent network that is written as a loop
// has thousands.
constexpr std::size_t kMaxOperations = 100;

constexpr const char* kOperation = "operation";
constexpr const char* kStream = "stream";

}  // namespace

// Measures the gradient of one result of a node. A hook of the node, not of the tensor, stays with
// the result that it was made for when the tensor is changed in place.
class LayerTap::GradientHook final : public torch::autograd::FunctionPreHook {
public:
    GradientHook(std::shared_ptr<Collected> collected, std::size_t row, std::size_t result)
        : collected_(std::move(collected)), row_(row), result_(result) {}

    torch::autograd::variable_list operator()(
        const torch::autograd::variable_list& gradients) override {
        try {
            if (result_ < gradients.size() && gradients[result_].defined()) {
                collected_->rows[row_].gradient_norm = norm_of_tensor(gradients[result_]);
            }
        } catch (const std::exception& error) {
            collected_->failure = error.what();
        }
        return gradients;
    }

private:
    const std::shared_ptr<Collected> collected_;
    const std::size_t row_;
    const std::size_t result_;
};

// A failure here must not fail the training: rows() throws it later.
template <class Work>
void LayerTap::guarded(Work work) noexcept {
    try {
        work();
    } catch (const std::exception& error) {
        collected_->failure = error.what();
    }
}

void LayerTap::enter(const Instance& instance) noexcept {
    guarded([&] {
        component_ = instance.node().name;
        operation_count_ = 0;
        if (has_operations_ && instance.node().component->kind == plugin::Kind::kModel) {
            watch_.emplace([this](std::string_view operation, const at::Tensor& result) {
                computed(operation, result);
            });
        }
    });
}

void LayerTap::leave(const Instance& instance, const Frame& frame) noexcept {
    watch_.reset();
    const plugin::Kind kind = instance.node().component->kind;
    if (kind != plugin::Kind::kModel && kind != plugin::Kind::kTransform) {
        return;
    }
    guarded([&] {
        for (const int stream : instance.node().written_streams()) {
            const at::Tensor& tensor = frame[stream].tensor;
            if (is_tensor(frame[stream].element) && tensor.defined() &&
                tensor.is_floating_point()) {
                add(kStream, plan_.stream(stream).name, tensor);
            }
        }
    });
}

void LayerTap::computed(std::string_view operation, const at::Tensor& result) noexcept {
    if (operation_count_ == kMaxOperations) {
        return;
    }
    guarded([&] {
        ++operation_count_;
        add(kOperation, fmt::format("{}.{}.{}", component_, operation_count_, operation), result);
    });
}

void LayerTap::add(const char* kind, std::string name, const at::Tensor& tensor) {
    std::vector<Row>& rows = collected_->rows;
    rows.push_back({.kind = kind, .name = std::move(name), .values = summary_of(tensor)});
    if (tensor.requires_grad() && tensor.grad_fn() != nullptr) {
        tensor.grad_fn()->add_pre_hook(std::make_unique<GradientHook>(
            collected_, rows.size() - 1, static_cast<std::size_t>(tensor.output_nr())));
    }
}

const std::vector<LayerTap::Row>& LayerTap::rows() const {
    if (!collected_->failure.empty()) {
        throw RunError(kTrainingError, collected_->failure);
    }
    return collected_->rows;
}

}  // namespace ptp::engine
