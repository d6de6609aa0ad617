#include "engine/optimizer/one_pass_steps.hpp"

#include <ATen/ops/arange.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace ptp::engine {

namespace {

// Returns the numbers of a tensor, which is marked as changed, as by an operation of libtorch.
template <class T>
T* changed(const at::Tensor& tensor) {
    if (!tensor.is_inference()) {
        tensor.unsafeGetTensorImpl()->bump_version();
    }
    return tensor.data_ptr<T>();
}

// Returns a pass with the members that all passes have.
template <class Pass, class T>
Pass pass_of(const OnePassSteps::Lists& lists, std::size_t i) {
    Pass pass;
    pass.weights = changed<T>(lists.weights[i]);
    pass.gradients = lists.gradients[i].data_ptr<T>();
    pass.size = lists.weights[i].numel();
    return pass;
}

template <class T>
AdamPass<T> adam_pass(const OnePassSteps::Lists& lists, std::size_t i,
                      const optimizer::Adam& options) {
    const auto step = static_cast<double>(lists.steps[i]);
    const double correction1 = 1 - std::pow(options.betas[0], step);
    const double correction2 = 1 - std::pow(options.betas[1], step);
    auto pass = pass_of<AdamPass<T>, T>(lists, i);
    pass.means = changed<T>(lists.exp_avgs[i]);
    pass.squares = changed<T>(lists.exp_avg_sqs[i]);
    pass.largest = options.amsgrad ? changed<T>(lists.max_exp_avg_sqs[i]) : nullptr;
    pass.weight_decay = static_cast<T>(options.weight_decay);
    pass.beta1 = static_cast<T>(options.betas[0]);
    pass.rest1 = static_cast<T>(1 - options.betas[0]);
    pass.beta2 = static_cast<T>(options.betas[1]);
    pass.rest2 = static_cast<T>(1 - options.betas[1]);
    pass.correction = static_cast<T>(std::sqrt(correction2));
    pass.eps = static_cast<T>(options.eps);
    pass.rate = static_cast<T>(-(options.lr / correction1));
    return pass;
}

template <class T>
SquarePass<T> square_pass(const OnePassSteps::Lists& lists, std::size_t i, double weight_decay) {
    auto pass = pass_of<SquarePass<T>, T>(lists, i);
    pass.squares = changed<T>(lists.exp_avg_sqs[i]);
    pass.weight_decay = static_cast<T>(weight_decay);
    return pass;
}

template <class T>
SquarePass<T> rmsprop_pass(const OnePassSteps::Lists& lists, std::size_t i,
                           const optimizer::RmsProp& options) {
    SquarePass<T> pass = square_pass<T>(lists, i, options.weight_decay);
    pass.means = options.centered ? changed<T>(lists.exp_avgs[i]) : nullptr;
    pass.buffer = options.momentum > 0 ? changed<T>(lists.momentum_buffers[i]) : nullptr;
    pass.keep = static_cast<T>(options.alpha);
    pass.rest = static_cast<T>(1 - options.alpha);
    pass.eps = static_cast<T>(options.eps);
    pass.momentum = static_cast<T>(options.momentum);
    pass.rate = static_cast<T>(-options.lr);
    return pass;
}

template <class T>
SquarePass<T> adagrad_pass(const OnePassSteps::Lists& lists, std::size_t i,
                           const optimizer::Adagrad& options) {
    SquarePass<T> pass = square_pass<T>(lists, i, options.weight_decay);
    pass.eps = static_cast<T>(options.eps);
    pass.rate = static_cast<T>(-options.rate_of(lists.steps[i]));
    return pass;
}

// Returns a pass for RAdam's rectified steps, which are Adam's with other rates.
template <class T>
AdamPass<T> radam_pass(const OnePassSteps::Lists& lists, std::size_t i,
                       const optimizer::RAdam& options) {
    AdamPass<T> pass = adam_pass<T>(lists, i,
                                    {.lr = options.lr,
                                     .weight_decay = options.weight_decay,
                                     .betas = options.betas,
                                     .eps = options.eps});
    pass.correction = 1;
    pass.rate = static_cast<T>(-options.rectified_rate(lists.steps[i]).value());
    return pass;
}

template <class T>
AdadeltaPass<T> adadelta_pass(const OnePassSteps::Lists& lists, std::size_t i,
                              const optimizer::Adadelta& options) {
    auto pass = pass_of<AdadeltaPass<T>, T>(lists, i);
    pass.squares = changed<T>(lists.exp_avg_sqs[i]);
    pass.changes = changed<T>(lists.acc_deltas[i]);
    pass.weight_decay = static_cast<T>(options.weight_decay);
    pass.keep = static_cast<T>(options.rho);
    pass.rest = static_cast<T>(1 - options.rho);
    pass.eps = static_cast<T>(options.eps);
    pass.rate = static_cast<T>(-options.lr);
    return pass;
}

template <class T>
AdamaxPass<T> adamax_pass(const OnePassSteps::Lists& lists, std::size_t i,
                          const optimizer::Adamax& options) {
    auto pass = pass_of<AdamaxPass<T>, T>(lists, i);
    pass.means = changed<T>(lists.exp_avgs[i]);
    pass.largest = changed<T>(lists.exp_infs[i]);
    pass.weight_decay = static_cast<T>(options.weight_decay);
    pass.beta1 = static_cast<T>(options.betas[0]);
    pass.rest1 = static_cast<T>(1 - options.betas[0]);
    pass.beta2 = static_cast<T>(options.betas[1]);
    pass.eps = static_cast<T>(options.eps);
    pass.rate = static_cast<T>(-options.rate_of(lists.steps[i]));
    return pass;
}

template <class T>
NAdamPass<T> nadam_pass(const OnePassSteps::Lists& lists, std::size_t i,
                        const optimizer::NAdam& options) {
    const auto factors = options.factors_of(lists.steps[i], lists.mu_products[i]);
    auto pass = pass_of<NAdamPass<T>, T>(lists, i);
    pass.means = changed<T>(lists.exp_avgs[i]);
    pass.squares = changed<T>(lists.exp_avg_sqs[i]);
    pass.weight_decay = static_cast<T>(options.weight_decay);
    pass.beta1 = static_cast<T>(options.betas[0]);
    pass.rest1 = static_cast<T>(1 - options.betas[0]);
    pass.beta2 = static_cast<T>(options.betas[1]);
    pass.rest2 = static_cast<T>(1 - options.betas[1]);
    pass.correction = static_cast<T>(factors.correction);
    pass.eps = static_cast<T>(options.eps);
    pass.gradient_rate = static_cast<T>(factors.of_gradient);
    pass.mean_rate = static_cast<T>(factors.of_mean);
    return pass;
}

template <class T>
RpropPass<T> rprop_pass(const OnePassSteps::Lists& lists, std::size_t i,
                        const optimizer::Rprop& options) {
    auto pass = pass_of<RpropPass<T>, T>(lists, i);
    pass.previous = changed<T>(lists.prevs[i]);
    pass.step_sizes = changed<T>(lists.step_sizes[i]);
    pass.shrink = static_cast<T>(options.etas[0]);
    pass.grow = static_cast<T>(options.etas[1]);
    pass.smallest = static_cast<T>(options.step_sizes[0]);
    pass.largest = static_cast<T>(options.step_sizes[1]);
    return pass;
}

template <class T>
SgdPass<T> sgd_pass(const OnePassSteps::Lists& lists, std::size_t i,
                    const optimizer::Sgd& options) {
    auto pass = pass_of<SgdPass<T>, T>(lists, i);
    pass.buffer = options.momentum != 0 ? changed<T>(lists.momentum_buffers[i]) : nullptr;
    pass.weight_decay = static_cast<T>(options.weight_decay);
    pass.momentum = static_cast<T>(options.momentum);
    pass.rest = static_cast<T>(1 - options.dampening);
    pass.nesterov = options.nesterov;
    pass.rate = static_cast<T>(-options.lr);
    return pass;
}

// `make` makes the pass of a parameter, by its place in the lists, for the type of its numbers;
// `run` runs the passes of one type.
template <template <class> class Pass>
void run_passes(const OnePassSteps::Lists& lists, const auto& make, const auto& run) {
    std::vector<Pass<float>> floats;
    std::vector<Pass<double>> doubles;
    for (std::size_t i = 0; i < lists.weights.size(); ++i) {
        if (lists.weights[i].scalar_type() == at::kFloat) {
            floats.push_back(make.template operator()<float>(i));
        } else {
            doubles.push_back(make.template operator()<double>(i));
        }
    }
    run(floats);
    run(doubles);
}

}  // namespace

// `root_of` computes the roots for a parameter with libtorch, if the pass must not.
template <template <class> class Pass>
void OnePassSteps::run_parts(const Lists& lists, const auto& root_of, const auto& make) const {
    std::vector<at::Tensor> roots;
    const auto run_part = [&](StepPart part) {
        run_passes<Pass>(
            lists,
            [&]<class T>(std::size_t i) {
                Pass<T> pass = make.template operator()<T>(i);
                pass.roots = roots.empty() ? nullptr : roots[i].data_ptr<T>();
                return pass;
            },
            [&](const auto& passes) { run(passes, rounding_, part); });
    };
    if (roots_ == Roots::kInThePass) {
        run_part(StepPart::kWhole);
        return;
    }
    run_part(StepPart::kMeans);
    for (std::size_t i = 0; i < lists.weights.size(); ++i) {
        roots.push_back(root_of(i));
    }
    run_part(StepPart::kWeights);
}

void OnePassSteps::sgd(const Lists& lists, const optimizer::Sgd& options) const {
    run_passes<SgdPass>(
        lists, [&]<class T>(std::size_t i) { return sgd_pass<T>(lists, i, options); },
        [&](const auto& passes) { run(passes, rounding_); });
}

void OnePassSteps::adam(const Lists& lists, const optimizer::Adam& options) const {
    run_adam(lists, options, 1);
}

void OnePassSteps::adamw(const Lists& lists, const optimizer::AdamW& options) const {
    run_adam(
        lists,
        {.lr = options.lr, .betas = options.betas, .eps = options.eps, .amsgrad = options.amsgrad},
        1 - options.lr * options.weight_decay);
}

void OnePassSteps::run_adam(const Lists& lists, const optimizer::Adam& options,
                            double shrink) const {
    const std::vector<at::Tensor>& squares =
        options.amsgrad ? lists.max_exp_avg_sqs : lists.exp_avg_sqs;
    run_parts<AdamPass>(
        lists, [&](std::size_t i) { return squares[i].sqrt(); },
        [&]<class T>(std::size_t i) {
            AdamPass<T> pass = adam_pass<T>(lists, i, options);
            pass.shrink = static_cast<T>(shrink);
            return pass;
        });
}

void OnePassSteps::rmsprop(const Lists& lists, const optimizer::RmsProp& options) const {
    run_parts<SquarePass>(
        lists,
        [&](std::size_t i) {
            const at::Tensor& squares = lists.exp_avg_sqs[i];
            return options.centered
                       ? squares.addcmul(lists.exp_avgs[i], lists.exp_avgs[i], -1).sqrt_()
                       : squares.sqrt();
        },
        [&]<class T>(std::size_t i) { return rmsprop_pass<T>(lists, i, options); });
}

void OnePassSteps::adagrad(const Lists& lists, const optimizer::Adagrad& options) const {
    run_parts<SquarePass>(
        lists, [&](std::size_t i) { return lists.exp_avg_sqs[i].sqrt(); },
        [&]<class T>(std::size_t i) { return adagrad_pass<T>(lists, i, options); });
}

void OnePassSteps::adadelta(const Lists& lists, const optimizer::Adadelta& options) const {
    std::vector<at::Tensor> change_roots;
    run_parts<AdadeltaPass>(
        lists,
        [&](std::size_t i) {
            change_roots.push_back(lists.acc_deltas[i].add(options.eps).sqrt_());
            return lists.exp_avg_sqs[i].add(options.eps).sqrt_();
        },
        [&]<class T>(std::size_t i) {
            AdadeltaPass<T> pass = adadelta_pass<T>(lists, i, options);
            pass.change_roots = change_roots.empty() ? nullptr : change_roots[i].data_ptr<T>();
            return pass;
        });
}

void OnePassSteps::nadam(const Lists& lists, const optimizer::NAdam& options) const {
    run_parts<NAdamPass>(
        lists,
        [&](std::size_t i) {
            const auto factors = options.factors_of(lists.steps[i], lists.mu_products[i]);
            return lists.exp_avg_sqs[i].div(factors.correction).sqrt_();
        },
        [&]<class T>(std::size_t i) { return nadam_pass<T>(lists, i, options); });
}

void OnePassSteps::radam(const Lists& lists, const optimizer::RAdam& options) const {
    run_parts<AdamPass>(
        lists, [&](std::size_t i) { return lists.exp_avg_sqs[i].sqrt(); },
        [&]<class T>(std::size_t i) { return radam_pass<T>(lists, i, options); });
}

void OnePassSteps::adamax(const Lists& lists, const optimizer::Adamax& options) const {
    run_passes<AdamaxPass>(
        lists, [&]<class T>(std::size_t i) { return adamax_pass<T>(lists, i, options); },
        [&](const auto& passes) { run(passes, rounding_); });
}

void OnePassSteps::rprop(const Lists& lists, const optimizer::Rprop& options) const {
    run_passes<RpropPass>(
        lists, [&]<class T>(std::size_t i) { return rprop_pass<T>(lists, i, options); },
        [&](const auto& passes) { run(passes, rounding_); });
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
