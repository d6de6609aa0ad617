// Steps of SGD, Adam and AdamW in one pass over the elements of each parameter, with the same bits
// as libtorch's own operations.
//
// libtorch's rounding depends on the processor, on the compiler that built it, and on its
// implementation of roots. It is not assumed: before the first step, a few elements are stepped in
// each way, and only a way with the same bits is used. All other steps are left to libtorch's
// operations.

#pragma once

#include "engine/optimizer/step_kernels.hpp"
#include "experiment/optimizer/adamw.hpp"
#include "experiment/optimizer/sgd.hpp"

#include <ATen/core/Tensor.h>

#include <cassert>
#include <optional>

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

private:
    void adam(const Lists& lists, const optimizer::Adam& options, double decay_factor) const;

    Rounding rounding_;
    Roots roots_;
};

// Returns whether such steps may change the parameter: dense, contiguous numbers on the CPU.
bool can_pass_once(const at::Tensor& parameter, const at::Tensor& gradient);

// Returns whether steps with the options of Sgd, Adam or AdamW have the bits of libtorch's
// operations.
template <class Options>
bool have_bits_of_libtorch(const OnePassSteps& steps, const Options& options, at::ScalarType type);

// Returns steps with the bits of libtorch's operations, or nullopt if there are none.
template <class Options>
std::optional<OnePassSteps> steps_like_libtorch(Options options);

}  // namespace ptp::engine
