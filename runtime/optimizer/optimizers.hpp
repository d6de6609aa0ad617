// The list of optimizers. What a training does with one follows from its file: its keys, their
// help, its step, its state, and what can be changed while it runs.

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

// Whether it calculates the gradients of a batch several times, by a closure.
template <class Optimizer>
inline constexpr bool kNeedsClosure = requires {
    Optimizer::kNeedsClosure;
};

// Whether it has a momentum, which a schedule may move.
template <class Optimizer>
inline constexpr bool kHasMomentum = requires(Optimizer& one) {
    one.momentum_option();
};

template <class Optimizer>
inline constexpr bool kTakesSparseGradients = requires {
    Optimizer::kTakesSparseGradients;
};

// Whether it uses its learning rate in the first step alone, so that schedules have no effect.
template <class Optimizer>
inline constexpr bool kUsesRateOnce = requires {
    Optimizer::kUsesRateOnce;
};

std::string_view name_of(const Any& any);

double& lr_of(Any& any);
double lr_of(const Any& any);

// What the experiment has set; nullopt: nothing. false where the optimizer has no fused step.
std::optional<bool> fused_of(const Any& any);
// Changes nothing where the optimizer has no fused step.
void set_fused(Any& any, std::optional<bool> fused);

bool uses_closure(const Any& any);

}  // namespace ptp::optimizer
