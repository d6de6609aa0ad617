// The factors of SGD's and Adam's steps, from their options; and whether their steps in one pass
// have the bits of libtorch's operations. The loops are in step_kernels.cpp.

#include "engine/optimizer/one_pass_steps.hpp"

#include <ATen/ops/arange.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ptp::engine {

namespace {

using Factors = StepFactors<double>;
using Lists = OnePassSteps::Lists;
using Tensors = std::vector<at::Tensor>;

// Returns the elements of a tensor, and marks it as changed, as an operation of libtorch would;
// nullptr for an optimizer without such a state.
template <class T>
T* changed(const Tensors& tensors, std::size_t i) {
    if (tensors.empty()) {
        return nullptr;
    }
    if (!tensors[i].is_inference()) {
        tensors[i].unsafeGetTensorImpl()->bump_version();
    }
    return tensors[i].data_ptr<T>();
}

// Rounds to T, as libtorch does.
template <class T>
StepFactors<T> rounded(const Factors& f) {
    return {.decay_factor = static_cast<T>(f.decay_factor),
            .weight_decay = static_cast<T>(f.weight_decay),
            .beta1 = static_cast<T>(f.beta1),
            .rest1 = static_cast<T>(f.rest1),
            .beta2 = static_cast<T>(f.beta2),
            .rest2 = static_cast<T>(f.rest2),
            .correction = static_cast<T>(f.correction),
            .eps = static_cast<T>(f.eps),
            .rate = static_cast<T>(f.rate),
            .is_nesterov = f.is_nesterov};
}

// Runs the passes of the parameters of one type. There are factors for each parameter, and roots
// only for StepKind::kAdamWeights.
template <class T>
void pass_over(StepKind kind, Rounding rounding, const Lists& lists,
               const std::vector<Factors>& factors, const Tensors& roots) {
    const Tensors& means = kind == StepKind::kSgd ? lists.momentum_buffers : lists.exp_avgs;
    std::vector<StepPass<T>> passes;
    for (std::size_t i = 0; i < lists.weights.size(); ++i) {
        if (lists.weights[i].scalar_type() == c10::CppTypeToScalarType<T>::value) {
            passes.push_back({.weights = changed<T>(lists.weights, i),
                              .gradients = lists.gradients[i].data_ptr<T>(),
                              .means = changed<T>(means, i),
                              .squares = changed<T>(lists.exp_avg_sqs, i),
                              .largest = changed<T>(lists.max_exp_avg_sqs, i),
                              .roots = roots.empty() ? nullptr : roots[i].data_ptr<T>(),
                              .size = lists.weights[i].numel(),
                              .factors = rounded<T>(factors[i])});
        }
    }
    run_passes(kind, passes, rounding);
}

void pass_over(StepKind kind, Rounding rounding, const Lists& lists,
               const std::vector<Factors>& factors, const Tensors& roots = {}) {
    pass_over<float>(kind, rounding, lists, factors, roots);
    pass_over<double>(kind, rounding, lists, factors, roots);
}

// Returns whether libtorch rounds square roots as the processor does. A step rarely reveals a
// difference.
template <class T>
bool has_exact_roots() {
    constexpr int kCount = 4096;
    const at::Tensor numbers =
        at::arange(1, kCount + 1, c10::CppTypeToScalarType<T>::value).mul_(0.7310585786300049);
    const at::Tensor roots = numbers.sqrt();
    return std::ranges::equal(std::span(numbers.data_ptr<T>(), kCount),
                              std::span(roots.data_ptr<T>(), kCount), {},
                              [](T number) { return std::sqrt(number); });
}

// Returns numbers of either sign, more than a vector and not a multiple of one, which differ for
// each `seed`.
at::Tensor trial_numbers(double seed, at::ScalarType type) {
    constexpr int kCount = 83;
    return at::arange(kCount, type).add_(100 * seed).sin_();
}

// A visitor of the quantities of a state, which collects its tensors.
struct TensorsOf {
    Tensors tensors;

    void operator()(std::string_view, std::int64_t) {}
    void operator()(std::string_view, const at::Tensor& tensor) { tensors.push_back(tensor); }
};

template <class State>
bool have_same_tensors(State& one, State& other) {
    TensorsOf in_one;
    TensorsOf in_other;
    one.visit(in_one);
    other.visit(in_other);
    return std::ranges::equal(in_one.tensors, in_other.tensors, [](const auto& a, const auto& b) {
        return a.defined() == b.defined() && (!a.defined() || a.equal(b));
    });
}

}  // namespace

void OnePassSteps::sgd(const Lists& lists, const optimizer::Sgd& options) const {
    const Factors factors{.weight_decay = options.weight_decay,
                          .beta1 = options.momentum,
                          .rest1 = 1 - options.dampening,
                          .rate = -options.lr,
                          .is_nesterov = options.nesterov};
    pass_over(StepKind::kSgd, rounding_, lists, std::vector(lists.weights.size(), factors));
}

void OnePassSteps::adam(const Lists& lists, const optimizer::Adam& options) const {
    adam(lists, options, 1);
}

void OnePassSteps::adamw(const Lists& lists, const optimizer::AdamW& options) const {
    adam(lists,
         {.lr = options.lr, .betas = options.betas, .eps = options.eps, .amsgrad = options.amsgrad},
         1 - options.lr * options.weight_decay);
}

void OnePassSteps::adam(const Lists& lists, const optimizer::Adam& options,
                        double decay_factor) const {
    std::vector<Factors> factors;
    for (const std::int64_t step : lists.steps) {
        const auto t = static_cast<double>(step);
        factors.push_back({.decay_factor = decay_factor,
                           .weight_decay = options.weight_decay,
                           .beta1 = options.betas[0],
                           .rest1 = 1 - options.betas[0],
                           .beta2 = options.betas[1],
                           .rest2 = 1 - options.betas[1],
                           .correction = std::sqrt(1 - std::pow(options.betas[1], t)),
                           .eps = options.eps,
                           .rate = -(options.lr / (1 - std::pow(options.betas[0], t)))});
    }
    if (roots_ == Roots::kInThePass) {
        pass_over(StepKind::kAdam, rounding_, lists, factors);
        return;
    }
    pass_over(StepKind::kAdamMeans, rounding_, lists, factors);
    Tensors roots;
    for (const at::Tensor& squares : options.amsgrad ? lists.max_exp_avg_sqs : lists.exp_avg_sqs) {
        roots.push_back(squares.sqrt());
    }
    pass_over(StepKind::kAdamWeights, rounding_, lists, factors, roots);
}

bool can_pass_once(const at::Tensor& parameter, const at::Tensor& gradient) {
    const at::ScalarType type = parameter.scalar_type();
    return (type == at::kFloat || type == at::kDouble) && gradient.scalar_type() == type &&
           parameter.is_cpu() && gradient.is_cpu() && gradient.layout() == at::kStrided &&
           parameter.is_contiguous() && !gradient.is_neg() && !gradient._is_zerotensor();
}

template <class Options>
bool have_bits_of_libtorch(const OnePassSteps& steps, const Options& options, at::ScalarType type) {
    constexpr int kSteps = 5;  // the first one creates the state
    at::Tensor theirs = trial_numbers(0, type);
    at::Tensor ours = theirs.clone();
    typename Options::template State<at::Tensor> their_state;
    typename Options::template State<at::Tensor> our_state;
    for (int i = 1; i <= kSteps; ++i) {
        const at::Tensor gradient = trial_numbers(i, type);
        options.step(theirs, gradient, their_state);
        Lists lists;
        lists.weights = {ours};
        lists.gradients = {gradient};
        if (options.fuse(our_state, lists)) {
            options.fused_step(lists, steps);
        } else {
            options.step(ours, gradient, our_state);
        }
    }
    return ours.equal(theirs) && have_same_tensors(our_state, their_state);
}

template <class Options>
std::optional<OnePassSteps> steps_like_libtorch(Options options) {
    options.lr = 0.1;  // with a rate of 0 nothing would change
    const bool are_exact = has_exact_roots<float>() && has_exact_roots<double>();
    for (const auto roots : {OnePassSteps::Roots::kInThePass, OnePassSteps::Roots::kByLibtorch}) {
        for (const Rounding rounding : {Rounding::kOnce, Rounding::kTwice}) {
            const bool needs_exact = roots == OnePassSteps::Roots::kInThePass;
            if (!is_supported(rounding) || (needs_exact && !are_exact)) {
                continue;
            }
            const OnePassSteps steps(rounding, roots);
            if (have_bits_of_libtorch(steps, options, at::kFloat) &&
                have_bits_of_libtorch(steps, options, at::kDouble)) {
                return steps;
            }
        }
    }
    return std::nullopt;
}

template bool have_bits_of_libtorch(const OnePassSteps&, const optimizer::Sgd&, at::ScalarType);
template bool have_bits_of_libtorch(const OnePassSteps&, const optimizer::Adam&, at::ScalarType);
template bool have_bits_of_libtorch(const OnePassSteps&, const optimizer::AdamW&, at::ScalarType);
template std::optional<OnePassSteps> steps_like_libtorch(optimizer::Sgd);
template std::optional<OnePassSteps> steps_like_libtorch(optimizer::Adam);
template std::optional<OnePassSteps> steps_like_libtorch(optimizer::AdamW);

}  // namespace ptp::engine
