#include "experiment/cycle_advice.hpp"

#include "base/number.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::experiment {

namespace {

struct Limit {
    std::int64_t episodes = 0;
    bool is_exact = false;  // otherwise there may be fewer
};

std::optional<Limit> limit_of(const TerminalConditions& conditions,
                              std::optional<std::int64_t> episodes_per_epoch) {
    const std::int64_t episodes = conditions.episode_limit;
    const bool has_epochs = conditions.epoch_limit >= 1;
    if (has_epochs && episodes_per_epoch) {
        const std::int64_t of_epochs = conditions.epoch_limit * *episodes_per_epoch;
        return Limit{episodes >= 1 ? std::min(of_epochs, episodes) : of_epochs, true};
    }
    return episodes >= 1 ? std::optional(Limit{episodes, !has_epochs}) : std::nullopt;
}

}  // namespace

std::optional<std::string> cycle_advice(const Training& training,
                                        std::optional<std::int64_t> episodes_per_epoch) {
    const auto limit = limit_of(training.terminal_conditions, episodes_per_epoch);
    const schedule::TotalEpisodes* length =
        training.scheduler ? schedule::length_of(*training.scheduler) : nullptr;
    if (length == nullptr || !length->given || !limit) {
        return std::nullopt;
    }
    const std::int64_t total = *length->given;
    if (total > limit->episodes) {
        return fmt::format(
            "the schedule has {}, but the training ends after {}: before the learning rate has come "
            "down",
            counted(total, "episode"), limit->episodes);
    }
    if (total < limit->episodes && limit->is_exact) {
        return fmt::format(
            "the schedule has {}, but the training may have {}: after the schedule the learning rate "
            "stays at its lowest",
            counted(total, "episode"), limit->episodes);
    }
    return std::nullopt;
}

}  // namespace ptp::experiment
