// Answers what all schedules have, each by its options.

#include "experiment/schedule/schedules.hpp"

namespace ptp::schedule {

namespace {

template <class Momentum>
Momentum* momentum_if_cycled(auto& any) {
    return std::visit(
        []<class S>(S& one) -> Momentum* {
            if constexpr (kCanCycleMomentum<S>) {
                return &one.cycled_momentum;
            } else {
                return nullptr;
            }
        },
        any);
}

}  // namespace

std::string_view name_of(const Any& any) {
    return std::visit([](const auto& one) { return one.kName; }, any);
}

bool needs_validation(const Any& any) {
    return std::visit([]<class S>(const S&) { return kHasState<S>; }, any);
}

bool warms_up(const Any& any) {
    return std::visit([]<class S>(const S&) { return kHasOwnWarmUp<S>; }, any);
}

const CycledMomentum* cycled_momentum_of(const Any& any) {
    return momentum_if_cycled<const CycledMomentum>(any);
}
CycledMomentum* cycled_momentum_of(Any& any) {
    return momentum_if_cycled<CycledMomentum>(any);
}

const TotalEpisodes* length_of(const Any& any) {
    return std::visit(
        []<class S>(const S& one) -> const TotalEpisodes* {
            if constexpr (kHasLength<S>) {
                return &one.total_episodes;
            } else {
                return nullptr;
            }
        },
        any);
}

std::string_view missing_length(const Any& any) {
    if (const auto* const cosine = std::get_if<CosineAnnealingLr>(&any)) {
        return cosine->half_period ? "" : "T_max";
    }
    const TotalEpisodes* const length = length_of(any);
    return length != nullptr && !length->given ? "total_episodes" : "";
}

}  // namespace ptp::schedule
