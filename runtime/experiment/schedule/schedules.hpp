// The list of schedules of the learning rate. Each schedule's file defines its keys, their help,
// the rate at a position, and its state if it has one.

#pragma once

#include "experiment/schedule/cosine_annealing_lr.hpp"
#include "experiment/schedule/cosine_annealing_warm_restarts.hpp"
#include "experiment/schedule/cyclic_lr.hpp"
#include "experiment/schedule/gamma_lr.hpp"
#include "experiment/schedule/lambda_lr.hpp"
#include "experiment/schedule/one_cycle_lr.hpp"
#include "experiment/schedule/polynomial_lr.hpp"
#include "experiment/schedule/reduce_lr_on_plateau.hpp"

#include <string_view>
#include <variant>

namespace ptp::schedule {

using Any = std::variant<StepLr,                       //
                         MultiStepLr,                  //
                         ExponentialLr,                //
                         CosineAnnealingLr,            //
                         CosineAnnealingWarmRestarts,  //
                         OneCycleLr,                   //
                         ReduceLrOnPlateau,            //
                         PolynomialLr,                 //
                         CyclicLr,                     //
                         LambdaLr>;

// True if the schedule reads the losses of validations and keeps a state of them.
template <class Schedule>
inline constexpr bool kHasState = requires {
    typename Schedule::State;
};

// True if the schedule can change the momentum.
template <class Schedule>
inline constexpr bool kCanCycleMomentum = requires(Schedule& one) {
    one.cycled_momentum;
};

// True if the schedule spans the training unless it is given a length.
template <class Schedule>
inline constexpr bool kHasLength = requires(Schedule& one) {
    one.total_episodes;
};

template <class Schedule>
inline constexpr bool kHasOwnWarmUp = requires {
    Schedule::kHasOwnWarmUp;
};

std::string_view name_of(const Any& any);

bool needs_validation(const Any& any);

bool warms_up(const Any& any);

// Returns nullptr if the schedule does not change the momentum.
const CycledMomentum* cycled_momentum_of(const Any& any);
CycledMomentum* cycled_momentum_of(Any& any);

// Returns nullptr if the schedule has no length in episodes.
const TotalEpisodes* length_of(const Any& any);

// Returns the option that gives a length to a schedule which spans the whole training; "" for one
// that does not.
std::string_view missing_length(const Any& any);

}  // namespace ptp::schedule
