// The list of optimizers. Each optimizer's file defines its keys, their help, its step, its state,
// and what can be changed while it runs.

#pragma once

#include "experiment/optimizer/adadelta.hpp"
#include "experiment/optimizer/adagrad.hpp"
#include "experiment/optimizer/adam.hpp"
#include "experiment/optimizer/adamax.hpp"
#include "experiment/optimizer/adamw.hpp"
#include "experiment/optimizer/asgd.hpp"
#include "experiment/optimizer/common_fields.hpp"
#include "experiment/optimizer/lbfgs.hpp"
#include "experiment/optimizer/nadam.hpp"
#include "experiment/optimizer/radam.hpp"
#include "experiment/optimizer/rmsprop.hpp"
#include "experiment/optimizer/rprop.hpp"
#include "experiment/optimizer/sgd.hpp"

#include <optional>
#include <string_view>
#include <variant>

namespace ptp::optimizer {

using Any = std::variant<Sgd,       //
                         Adam,      //
                         AdamW,     //
                         RmsProp,   //
                         Adagrad,   //
                         Lbfgs,     //
                         Adadelta,  //
                         Adamax,    //
                         NAdam,     //
                         RAdam,     //
                         Rprop,     //
                         Asgd>;

// True if the optimizer calculates the gradients of a batch several times, by a closure.
template <class Optimizer>
inline constexpr bool kNeedsClosure = requires {
    Optimizer::kNeedsClosure;
};

// True if the optimizer has a momentum, which a schedule may change.
template <class Optimizer>
inline constexpr bool kHasMomentum = requires(Optimizer& one) {
    one.momentum_option();
};

template <class Optimizer>
inline constexpr bool kTakesSparseGradients = requires {
    Optimizer::kTakesSparseGradients;
};

// True if the optimizer uses its learning rate only in the first step, so that schedules have no
// effect.
template <class Optimizer>
inline constexpr bool kUsesRateOnce = requires {
    Optimizer::kUsesRateOnce;
};

std::string_view name_of(const Any& any);

double& lr_of(Any& any);
double lr_of(const Any& any);

// Returns the value that the experiment has set; nullopt if none, false if the optimizer has no
// fused step.
std::optional<bool> fused_of(const Any& any);
// Does nothing if the optimizer has no fused step.
void set_fused(Any& any, std::optional<bool> fused);

bool uses_closure(const Any& any);

}  // namespace ptp::optimizer
