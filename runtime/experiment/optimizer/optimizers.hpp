// The list of optimizers. Each has `kName`, `kHelp`, `kExample`, `lr`, fields(), State and step().
// An optimizer may have more members; they are found by their names:
//
//   problem()                the problem of options together that are valid by themselves
//   group_fields()           the options of single components, if they are not all of fields()
//   complete()               sets options that follow from others, before the first step
//   begin(w, s)              creates the state of a parameter before its first step
//   momentum_option()        the option that schedules change as a momentum
//   nesterov                 the option that needs such a momentum, so that it is in use
//   fused, fuse(s, lists),   a step of all parameters of a group in one call: fuse() lists the
//     fused_step(lists, k)   state of one, fused_step() steps them
//   kNeedsClosure            true: the step computes the gradients of a batch several times
//   kTakesSparseGradients    true: the step accepts sparse gradients
//   kUsesRateOnce            true: the first step alone uses `lr`, so that schedules do nothing

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

template <class Optimizer>
inline constexpr bool kNeedsClosure = requires {
    requires Optimizer::kNeedsClosure;
};

template <class Optimizer>
inline constexpr bool kHasMomentum = requires(Optimizer& one) {
    one.momentum_option();
};

template <class Optimizer>
inline constexpr bool kTakesSparseGradients = requires {
    requires Optimizer::kTakesSparseGradients;
};

template <class Optimizer>
inline constexpr bool kUsesRateOnce = requires {
    requires Optimizer::kUsesRateOnce;
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
