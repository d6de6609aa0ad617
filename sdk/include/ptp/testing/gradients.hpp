// Compares gradients with finite differences, in float64.
#pragma once

#include <ptp/testing/component.hpp>
#include <ptp/testing/tensors.hpp>

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ptp::testing {

// The differentiated function, and the tolerance.
struct GradientCheck {
    // Returns a scalar of the outputs; by default the sum of all elements of all real outputs, each
    // with a different weight (waves()), so that errors do not cancel.
    std::function<at::Tensor(const Slots& outputs)> objective = {};
    double step = 1e-6;      // change of an element in both directions
    double relative = 1e-4;  // tolerance: absolute + relative * |expected|
    double absolute = 1e-6;
    std::int64_t max_elements = 64;  // number of changed elements per tensor, spread over it
    bool is_training = true;         // mode of the component, if it has modes
    std::uint64_t seed = 1;          // seed of its random numbers, reset in each call
};

namespace detail {

// Returns at most `limit` of the indices below `count`, with a step that is coprime to `count`, so
// that they cover many rows and columns of a matrix.
inline std::vector<std::int64_t> spread(std::int64_t count, std::int64_t limit) {
    constexpr double kGoldenRatio = 0.6180339887498949;
    auto step = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(count) * kGoldenRatio));
    while (std::gcd(step, count) > 1) {
        ++step;
    }
    std::vector<std::int64_t> indices(
        static_cast<std::size_t>(std::min(count, std::max<std::int64_t>(1, limit))));
    for (std::size_t k = 0; k < indices.size(); ++k) {
        indices[k] = static_cast<std::int64_t>(k) * step % count;
    }
    return indices;
}

// A component whose parameters, buffers and real inputs are converted to float64.
class DoubleComponent {
public:
    DoubleComponent(Component& component, Slots inputs, const GradientCheck& check)
        : component_(component), inputs_(std::move(inputs)), check_(check) {
        if (component.has_ability(PTP_EXTENSION_MODE)) {
            component.set_training(check.is_training);
        }
        if (component.has_ability(PTP_EXTENSION_PARAMETERS)) {
            for (auto& [name, tensor] : component.parameters()) {
                add("parameter", name, in_double(tensor), tensor.requires_grad());
            }
            for (auto& [name, tensor] : component.buffers()) {
                in_double(tensor);
            }
        }
        for (auto& [name, slot] : inputs_) {
            if (slot.is_tensor() && slot.tensor().is_floating_point()) {
                slot = Slot(slot.tensor().detach().to(at::kDouble).contiguous().clone());
                add("input", name, slot.tensor().requires_grad_(true), true);
            }
        }
    }

    struct Leaf {
        std::string name;  // "parameter 'weight'"
        at::Tensor tensor;
    };
    const std::vector<Leaf>& leaves() const { return leaves_; }

    at::Tensor objective() {
        at::manual_seed(check_.seed);
        component_.reseed(check_.seed);
        const Slots outputs = component_.run(inputs_);
        if (check_.objective) {
            return check_.objective(outputs);
        }
        at::Tensor sum = at::zeros({}, at::TensorOptions().dtype(at::kDouble));
        for (const auto& [name, slot] : outputs) {
            if (slot.is_tensor() && slot.tensor().is_floating_point()) {
                const at::Tensor& output = slot.tensor();
                sum = sum + (output * waves(output.sizes(), {.type = at::kDouble})).sum();
            }
        }
        return sum;
    }

private:
    static at::Tensor in_double(at::Tensor& tensor) {
        if (tensor.is_floating_point()) {
            tensor.set_data(tensor.detach().to(at::kDouble).contiguous());
        }
        return tensor;
    }

    void add(const char* what, const std::string& name, at::Tensor tensor, bool is_trained) {
        if (is_trained) {
            tensor.mutable_grad() = at::Tensor();
            leaves_.push_back({std::string(what) + " '" + name + "'", std::move(tensor)});
        }
    }

    Component& component_;
    Slots inputs_;
    const GradientCheck& check_;
    std::vector<Leaf> leaves_;
};

// Returns "[0, 1]" for an element by its number in row-major order.
inline std::string index_text(std::int64_t element, at::IntArrayRef sizes) {
    std::vector<std::int64_t> index(sizes.size());
    for (std::size_t i = sizes.size(); i-- > 0; element /= sizes[i]) {
        index[i] = element % sizes[i];
    }
    std::string text = "[";
    for (std::size_t i = 0; i < index.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
    }
    return text + "]";
}

}  // namespace detail

// Compares the gradients of all parameters and of all real inputs with central differences. Returns
// "" if they agree, otherwise the first element that differs, with its parameter or input:
//
//   parameter 'weight'[0, 1]: the gradient is 0.25, finite differences give 0.5
//
// The component computes in float64 afterwards: its parameters and buffers change their type. At a
// corner of a function, such as that of relu at 0, differences are meaningless: choose other
// inputs. Throws the errors of the component, as run() does.
inline std::string gradient_difference(Component& component, const Slots& inputs,
                                       const GradientCheck& check = {}) {
    detail::DoubleComponent subject(component, inputs, check);
    if (subject.leaves().empty()) {
        return "there is no parameter and no real input to differentiate by";
    }
    const at::Tensor objective = subject.objective();
    if (!objective.requires_grad()) {
        return "no output depends on a parameter or an input in a way that can be differentiated";
    }
    objective.backward();
    const c10::AutoGradMode without_gradients(false);
    for (const auto& leaf : subject.leaves()) {
        const at::Tensor gradient =
            (leaf.tensor.grad().defined() ? leaf.tensor.grad() : at::zeros_like(leaf.tensor))
                .contiguous();
        at::Tensor flat = leaf.tensor.detach().view({-1});
        const std::int64_t count = flat.numel();
        for (const std::int64_t i : detail::spread(count, check.max_elements)) {
            auto& element = flat.data_ptr<double>()[i];
            const double before = element;
            element = before + check.step;
            const double above = subject.objective().item<double>();
            element = before - check.step;
            const double below = subject.objective().item<double>();
            element = before;
            const double expected = (above - below) / (2 * check.step);
            const double found = gradient.data_ptr<double>()[i];
            if (!(std::abs(found - expected) <=
                  check.absolute + check.relative * std::abs(expected))) {
                std::ostringstream text;
                text << leaf.name << detail::index_text(i, leaf.tensor.sizes())
                     << ": the gradient is " << found << ", finite differences give " << expected;
                return text.str();
            }
        }
    }
    return "";
}

}  // namespace ptp::testing
