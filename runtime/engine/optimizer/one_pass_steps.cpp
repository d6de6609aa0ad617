// The factors of each optimizer's steps, from its options; and whether its steps in one pass have
// the bits of libtorch's operations. The loops are in step_kernels.cpp.

#include "engine/optimizer/one_pass_steps.hpp"

#include <ATen/ops/arange.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ptp::engine {

namespace {

using Factors = StepFactors<double>;
using Lists = OnePassSteps::Lists;

// The roots of a parameter's squares and changes, computed by libtorch.
struct RootsOf {
    at::Tensor squares;
    at::Tensor changes = {};
};

// Returns the elements of a tensor, and marks it as changed, as an operation of libtorch would;
// nullptr for an optimizer without such a state.
template <class T>
T* changed(const std::vector<at::Tensor>& tensors, std::size_t i) {
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
            .mean_rate = static_cast<T>(f.mean_rate),
            .smallest = static_cast<T>(f.smallest),
            .largest = static_cast<T>(f.largest),
            .is_nesterov = f.is_nesterov};
}

template <class T>
StepPass<T> pass_of(const Lists& lists, std::size_t i, const Factors& factors,
                    const std::vector<RootsOf>& roots) {
    StepPass<T> pass{
        .weights = changed<T>(lists.weights, i),
        .gradients = lists.gradients[i].data_ptr<T>(),
        .means = changed<T>(lists.exp_avgs, i),
        .squares = changed<T>(lists.exp_avg_sqs, i),
        .largest = changed<T>(lists.exp_infs.empty() ? lists.max_exp_avg_sqs : lists.exp_infs, i),
        .buffer = changed<T>(lists.momentum_buffers, i),
        .changes = changed<T>(lists.acc_deltas, i),
        .previous = changed<T>(lists.prevs, i),
        .step_sizes = changed<T>(lists.step_sizes, i),
        .size = lists.weights[i].numel(),
        .factors = rounded<T>(factors)};
    if (!roots.empty()) {
        pass.roots = roots[i].squares.data_ptr<T>();
        pass.change_roots = roots[i].changes.defined() ? roots[i].changes.data_ptr<T>() : nullptr;
    }
    return pass;
}

// `factors_of` returns the factors of a parameter, by its place in the lists.
void run_part(StepKind kind, const Lists& lists, Rounding rounding, StepPart part,
              const std::vector<RootsOf>& roots, const auto& factors_of) {
    std::vector<StepPass<float>> floats;
    std::vector<StepPass<double>> doubles;
    for (std::size_t i = 0; i < lists.weights.size(); ++i) {
        if (lists.weights[i].scalar_type() == at::kFloat) {
            floats.push_back(pass_of<float>(lists, i, factors_of(i), roots));
        } else {
            doubles.push_back(pass_of<double>(lists, i, factors_of(i), roots));
        }
    }
    run_passes(kind, floats, rounding, part);
    run_passes(kind, doubles, rounding, part);
}

Factors moment_factors(double weight_decay, const std::array<double, 2>& betas, double eps) {
    return {.weight_decay = weight_decay,
            .beta1 = betas[0],
            .rest1 = 1 - betas[0],
            .beta2 = betas[1],
            .rest2 = 1 - betas[1],
            .eps = eps};
}

Factors adam_factors(const optimizer::Adam& options, std::int64_t step) {
    const auto t = static_cast<double>(step);
    Factors factors = moment_factors(options.weight_decay, options.betas, options.eps);
    factors.correction = std::sqrt(1 - std::pow(options.betas[1], t));
    factors.rate = -(options.lr / (1 - std::pow(options.betas[0], t)));
    return factors;
}

}  // namespace

template <class FactorsOf>
void OnePassSteps::run(StepKind kind, const Lists& lists, const FactorsOf& factors_of) const {
    run_part(kind, lists, rounding_, StepPart::kWhole, {}, factors_of);
}

// `root_of` computes the roots for a parameter with libtorch, if the pass must not.
template <class FactorsOf, class RootOf>
void OnePassSteps::run(StepKind kind, const Lists& lists, const FactorsOf& factors_of,
                       const RootOf& root_of) const {
    if (roots_ == Roots::kInThePass) {
        run(kind, lists, factors_of);
        return;
    }
    run_part(kind, lists, rounding_, StepPart::kMeans, {}, factors_of);
    std::vector<RootsOf> roots;
    for (std::size_t i = 0; i < lists.weights.size(); ++i) {
        roots.push_back(root_of(i));
    }
    run_part(kind, lists, rounding_, StepPart::kWeights, roots, factors_of);
}

void OnePassSteps::sgd(const Lists& lists, const optimizer::Sgd& options) const {
    const Factors factors{.weight_decay = options.weight_decay,
                          .beta1 = options.momentum,
                          .rest1 = 1 - options.dampening,
                          .rate = -options.lr,
                          .is_nesterov = options.nesterov};
    run(StepKind::kSgd, lists, [&](std::size_t) { return factors; });
}

void OnePassSteps::adam(const Lists& lists, const optimizer::Adam& options) const {
    const auto& squares = options.amsgrad ? lists.max_exp_avg_sqs : lists.exp_avg_sqs;
    run(
        StepKind::kAdam, lists,
        [&](std::size_t i) { return adam_factors(options, lists.steps[i]); },
        [&](std::size_t i) { return RootsOf{squares[i].sqrt()}; });
}

void OnePassSteps::adamw(const Lists& lists, const optimizer::AdamW& options) const {
    const optimizer::Adam adam{
        .lr = options.lr, .betas = options.betas, .eps = options.eps, .amsgrad = options.amsgrad};
    const auto& squares = options.amsgrad ? lists.max_exp_avg_sqs : lists.exp_avg_sqs;
    run(
        StepKind::kAdam, lists,
        [&](std::size_t i) {
            Factors factors = adam_factors(adam, lists.steps[i]);
            factors.decay_factor = 1 - options.lr * options.weight_decay;
            return factors;
        },
        [&](std::size_t i) { return RootsOf{squares[i].sqrt()}; });
}

void OnePassSteps::rmsprop(const Lists& lists, const optimizer::RmsProp& options) const {
    const Factors factors{.weight_decay = options.weight_decay,
                          .beta1 = options.momentum,
                          .beta2 = options.alpha,
                          .rest2 = 1 - options.alpha,
                          .eps = options.eps,
                          .rate = -options.lr};
    run(
        StepKind::kBySquares, lists, [&](std::size_t) { return factors; },
        [&](std::size_t i) {
            const at::Tensor& squares = lists.exp_avg_sqs[i];
            return RootsOf{options.centered
                               ? squares.addcmul(lists.exp_avgs[i], lists.exp_avgs[i], -1).sqrt_()
                               : squares.sqrt()};
        });
}

void OnePassSteps::adagrad(const Lists& lists, const optimizer::Adagrad& options) const {
    run(
        StepKind::kBySquares, lists,
        [&](std::size_t i) {
            return Factors{.weight_decay = options.weight_decay,
                           .beta2 = 1,
                           .rest2 = 1,
                           .eps = options.eps,
                           .rate = -options.rate_of(lists.steps[i])};
        },
        [&](std::size_t i) { return RootsOf{lists.exp_avg_sqs[i].sqrt()}; });
}

void OnePassSteps::adadelta(const Lists& lists, const optimizer::Adadelta& options) const {
    const Factors factors{.weight_decay = options.weight_decay,
                          .beta2 = options.rho,
                          .rest2 = 1 - options.rho,
                          .eps = options.eps,
                          .rate = -options.lr};
    run(
        StepKind::kAdadelta, lists, [&](std::size_t) { return factors; },
        [&](std::size_t i) {
            return RootsOf{lists.exp_avg_sqs[i].add(options.eps).sqrt_(),
                           lists.acc_deltas[i].add(options.eps).sqrt_()};
        });
}

void OnePassSteps::adamax(const Lists& lists, const optimizer::Adamax& options) const {
    Factors factors = moment_factors(options.weight_decay, options.betas, options.eps);
    run(StepKind::kAdamax, lists, [&](std::size_t i) {
        factors.rate = -options.rate_of(lists.steps[i]);
        return factors;
    });
}

void OnePassSteps::nadam(const Lists& lists, const optimizer::NAdam& options) const {
    Factors factors = moment_factors(options.weight_decay, options.betas, options.eps);
    run(
        StepKind::kNAdam, lists,
        [&](std::size_t i) {
            const auto own = options.factors_of(lists.steps[i], lists.mu_products[i]);
            factors.correction = own.correction;
            factors.rate = own.of_gradient;
            factors.mean_rate = own.of_mean;
            return factors;
        },
        [&](std::size_t i) {
            const auto own = options.factors_of(lists.steps[i], lists.mu_products[i]);
            return RootsOf{lists.exp_avg_sqs[i].div(own.correction).sqrt_()};
        });
}

// Rectified steps are Adam's with another rate and without the correction.
void OnePassSteps::radam(const Lists& lists, const optimizer::RAdam& options) const {
    Factors factors = moment_factors(options.weight_decay, options.betas, options.eps);
    run(
        StepKind::kAdam, lists,
        [&](std::size_t i) {
            factors.rate = -options.rectified_rate(lists.steps[i]).value();
            return factors;
        },
        [&](std::size_t i) { return RootsOf{lists.exp_avg_sqs[i].sqrt()}; });
}

void OnePassSteps::rprop(const Lists& lists, const optimizer::Rprop& options) const {
    const Factors factors{.beta1 = options.etas[0],
                          .beta2 = options.etas[1],
                          .smallest = options.step_sizes[0],
                          .largest = options.step_sizes[1]};
    run(StepKind::kRprop, lists, [&](std::size_t) { return factors; });
}

bool can_pass_once(const at::Tensor& parameter, const at::Tensor& gradient) {
    const at::ScalarType type = parameter.scalar_type();
    return (type == at::kFloat || type == at::kDouble) && gradient.scalar_type() == type &&
           parameter.is_cpu() && gradient.is_cpu() && gradient.layout() == at::kStrided &&
           parameter.is_contiguous() && !gradient.is_neg() && !gradient._is_zerotensor();
}

bool have_same_numbers(const StateTensors& one, const StateTensors& other) {
    return std::ranges::equal(one.tensors, other.tensors, [](const auto& ours, const auto& theirs) {
        return ours.defined() == theirs.defined() && (!ours.defined() || ours.equal(theirs));
    });
}

bool has_exact_roots(at::ScalarType type) {
    constexpr int kCount = 4096;
    const at::Tensor numbers = at::arange(1, kCount + 1, type).mul_(0.7310585786300049);
    const at::Tensor roots = numbers.sqrt();
    const auto are_exact = [&]<class T>(T) {
        const std::span all(numbers.data_ptr<T>(), kCount);
        return std::ranges::equal(all, std::span(roots.data_ptr<T>(), kCount), {},
                                  [](T number) { return std::sqrt(number); });
    };
    return type == at::kFloat ? are_exact(float()) : are_exact(double());
}

at::Tensor trial_numbers(double seed, at::ScalarType type) {
    constexpr int kCount = 83;
    return at::arange(kCount, type).add_(100 * seed).sin_();
}

}  // namespace ptp::engine
