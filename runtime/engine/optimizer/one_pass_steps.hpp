// Optimizer steps in one pass over the elements of each parameter, with the same bits as libtorch's
// own operations.
//
// libtorch's rounding depends on the processor, on the compiler that built it, and on its
// implementation of roots. It is not assumed: before the first step, a few elements are stepped in
// each way, and only a way with the same bits is used. All other steps are left to libtorch's
// operations.

#pragma once

#include "engine/optimizer/step_kernels.hpp"
#include "experiment/optimizer/adadelta.hpp"
#include "experiment/optimizer/adagrad.hpp"
#include "experiment/optimizer/adamax.hpp"
#include "experiment/optimizer/adamw.hpp"
#include "experiment/optimizer/nadam.hpp"
#include "experiment/optimizer/radam.hpp"
#include "experiment/optimizer/rmsprop.hpp"
#include "experiment/optimizer/rprop.hpp"
#include "experiment/optimizer/sgd.hpp"

#include <ATen/core/Tensor.h>

#include <cassert>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::engine {

// Steps for lists as optimizer::FusedLists declares them, like compat::FusedSteps. [main]
class OnePassSteps {
public:
    // The implementation of square roots.
    enum class Roots { kInThePass, kByLibtorch };

    // The rounding is supported.
    OnePassSteps(Rounding rounding, Roots roots) : rounding_(rounding), roots_(roots) {
        assert(is_supported(rounding));
    }

    using Lists = optimizer::FusedLists<at::Tensor>;
    void sgd(const Lists& lists, const optimizer::Sgd& options) const;
    void adam(const Lists& lists, const optimizer::Adam& options) const;
    void adamw(const Lists& lists, const optimizer::AdamW& options) const;
    void rmsprop(const Lists& lists, const optimizer::RmsProp& options) const;
    void adagrad(const Lists& lists, const optimizer::Adagrad& options) const;
    void adadelta(const Lists& lists, const optimizer::Adadelta& options) const;
    void adamax(const Lists& lists, const optimizer::Adamax& options) const;
    void nadam(const Lists& lists, const optimizer::NAdam& options) const;
    void radam(const Lists& lists, const optimizer::RAdam& options) const;
    void rprop(const Lists& lists, const optimizer::Rprop& options) const;

private:
    template <class FactorsOf, class RootOf>
    void run(StepKind kind, const Lists& lists, const FactorsOf& factors_of,
             const RootOf& root_of) const;
    template <class FactorsOf>
    void run(StepKind kind, const Lists& lists, const FactorsOf& factors_of) const;

    Rounding rounding_;
    Roots roots_;
};

// Returns whether such steps may change the parameter: dense, contiguous numbers on the CPU.
bool can_pass_once(const at::Tensor& parameter, const at::Tensor& gradient);

// Returns whether libtorch rounds square roots as the processor does. A step rarely reveals a
// difference.
bool has_exact_roots(at::ScalarType type);

// Returns numbers of either sign, more than a vector and not a multiple of one, which differ for
// each `seed`.
at::Tensor trial_numbers(double seed, at::ScalarType type);

// The tensors of a state.
struct StateTensors {
    std::vector<at::Tensor> tensors;

    void operator()(std::string_view, std::int64_t) {}
    void operator()(std::string_view, const at::Tensor& tensor) { tensors.push_back(tensor); }
};

bool have_same_numbers(const StateTensors& one, const StateTensors& other);

// Returns whether steps with these options have the bits of libtorch's operations. Returns false if
// there are none among the first steps.
template <class Options>
bool have_bits_of_libtorch(const OnePassSteps& steps, const Options& options, at::ScalarType type) {
    using State = typename Options::template State<at::Tensor>;
    constexpr int kSteps = 4;  // in one pass
    constexpr int kMaxSteps = 40;
    at::Tensor theirs = trial_numbers(0, type);
    at::Tensor ours = theirs.clone();
    State their_state;
    State our_state;
    if constexpr (requires { options.begin(ours, our_state); }) {
        options.begin(theirs, their_state);
        options.begin(ours, our_state);
    }
    int passed_once = 0;
    for (int i = 1; passed_once < kSteps && i <= kMaxSteps; ++i) {
        const at::Tensor gradient = trial_numbers(i, type);
        options.step(theirs, gradient, their_state);
        OnePassSteps::Lists lists;
        if (options.fuse(our_state, lists)) {
            lists.weights.push_back(ours);
            lists.gradients.push_back(gradient);
            options.fused_step(lists, steps);
            ++passed_once;
        } else {
            options.step(ours, gradient, our_state);
        }
    }
    StateTensors in_their_state;
    StateTensors in_our_state;
    their_state.visit(in_their_state);
    our_state.visit(in_our_state);
    return passed_once == kSteps && ours.equal(theirs) &&
           have_same_numbers(in_our_state, in_their_state);
}

// Returns steps with the bits of libtorch's operations, or nullopt if there are none.
template <class Options>
std::optional<OnePassSteps> steps_like_libtorch(Options options) {
    options.lr = 0.1;  // with a rate of 0 nothing would change
    const bool are_exact = has_exact_roots(at::kFloat) && has_exact_roots(at::kDouble);
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

}  // namespace ptp::engine
