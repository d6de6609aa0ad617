// The list of optimizers. Each optimizer's file defines its keys, their help, its step, its state,
// and what can be changed while it runs.

#pragma once

#include "optimizer/adadelta.hpp"
#include "optimizer/adagrad.hpp"
#include "optimizer/adam.hpp"
#include "optimizer/adamax.hpp"
#include "optimizer/adamw.hpp"
#include "optimizer/asgd.hpp"
#include "optimizer/fused.hpp"
#include "optimizer/lbfgs.hpp"
#include "optimizer/nadam.hpp"
#include "optimizer/radam.hpp"
#include "optimizer/rmsprop.hpp"
#include "optimizer/rprop.hpp"
#include "optimizer/sgd.hpp"

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
