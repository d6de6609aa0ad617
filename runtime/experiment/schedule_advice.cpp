// Compares the schedule of the learning rate, and of the steps of the optimizer, with the limits of
// the training.

#include "base/number.hpp"
#include "experiment/experiment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// Returns the largest number of epochs that the training can begin.
std::optional<std::int64_t> epochs_of(const TerminalConditions& conditions,
                                      std::optional<std::int64_t> episodes_per_epoch) {
    std::optional<std::int64_t> epochs;
    if (conditions.epoch_limit >= 1) {
        epochs = conditions.epoch_limit;
    }
    const std::int64_t length = episodes_per_epoch.value_or(0);
    if (conditions.episode_limit >= 1 && length >= 1) {
        const std::int64_t begun = (conditions.episode_limit + length - 1) / length;
        epochs = std::min(begun, epochs.value_or(begun));
    }
    return epochs;
}

std::string cycle_advice(std::int64_t total, const Limit& limit) {
    if (total > limit.episodes) {
        return fmt::format(
            "the schedule has {}, but the training ends after {}: before the learning rate has come "
            "down",
            counted(total, "episode"), limit.episodes);
    }
    if (total < limit.episodes && limit.is_exact) {
        return fmt::format(
            "the schedule has {}, but the training may have {}: after the schedule the learning rate "
            "stays at its lowest",
            counted(total, "episode"), limit.episodes);
    }
    return "";
}

// An option of a schedule, and the change that comes too late.
struct LateChange {
    std::string option;
    std::string problem;
    const char* fix;
};

// Returns the changes that are due after the epochs of a training: schedules count epochs from 0;
// ReduceLROnPlateau counts validations, and the first one is the best one so far.
std::optional<LateChange> late_change(const schedule::Any& any, const Training& training,
                                      std::int64_t epochs) {
    const std::string limit = "but the training has at most " + counted(epochs, "epoch");
    constexpr const char* kNever = "the learning rate never changes";
    if (const auto* const step = std::get_if<schedule::StepLr>(&any);
        step != nullptr && step->step_size >= epochs) {
        return LateChange{"step_size",
                          fmt::format("step_size = {}, {}: {}", step->step_size, limit, kNever),
                          "take a smaller step_size, or a longer training"};
    }
    if (const auto* const steps = std::get_if<schedule::MultiStepLr>(&any)) {
        const auto& all = steps->milestones;
        const auto late = std::ranges::lower_bound(all, epochs);
        if (late != all.end()) {
            return LateChange{"milestones",
                              fmt::format("the milestone {}, {}: {}", *late, limit,
                                          late == all.begin() ? kNever : "it is not reached"),
                              late == all.begin()
                                  ? "take earlier milestones, or a longer training"
                                  : "leave out milestones from there on, or train longer"};
        }
    }
    if (const auto* const cosine = std::get_if<schedule::CosineAnnealingLr>(&any);
        cosine != nullptr && cosine->half_period.value_or(0) > epochs) {
        return LateChange{"T_max",
                          fmt::format("T_max = {}, {}: it ends before the learning rate has come "
                                      "down to eta_min",
                                      *cosine->half_period, limit),
                          "leave out T_max, which is then the length of the training"};
    }
    const auto* const plateau = std::get_if<schedule::ReduceLrOnPlateau>(&any);
    const bool is_chosen =
        plateau != nullptr && plateau->patience != schedule::ReduceLrOnPlateau().patience;
    if (is_chosen && training.worker == Worker::kOffline && plateau->patience + 1 >= epochs) {
        return LateChange{"patience",
                          fmt::format("patience = {}, {}, and as many validations: {}",
                                      plateau->patience, limit, kNever),
                          "take a smaller patience, or a longer training"};
    }
    return std::nullopt;
}

// Returns nothing for an average that leaves the weights behind with which it begins.
std::optional<ScheduleAdvice> average_advice(const Training& training, const Limit& limit) {
    if (!training.weight_average || limit.episodes <= 1) {
        return std::nullopt;
    }
    const double span = 1 / (1 - training.weight_average->decay);
    const std::int64_t steps =
        (limit.episodes - training.weight_average->start_episode) / training.accumulate;
    constexpr double kShort = 50;  // an average that follows the weights closely
    if (span < kShort || span <= static_cast<double>(steps) * 1.01) {  // a decay is rounded
        return std::nullopt;
    }
    const std::int64_t suited = std::max<std::int64_t>(steps / 10, 1);
    return ScheduleAdvice{
        "training.weight_average.decay",
        {fmt::format(
             "the average spans about {:.0f} steps of the optimizer, but the training has {} "
             "after its beginning: the weights that are evaluated stay near those with "
             "which it begins",
             span, std::max<std::int64_t>(steps, 0)),
         steps < 20 ? std::string("leave out weight_average, or train longer")
                    : fmt::format("take a smaller decay, such as {:.2g}, or a longer training",
                                  1 - 1 / static_cast<double>(suited))}};
}

}  // namespace

std::vector<ScheduleAdvice> schedule_advice(const Training& training,
                                            std::optional<std::int64_t> episodes_per_epoch) {
    std::vector<ScheduleAdvice> all;
    const auto limit = limit_of(training.terminal_conditions, episodes_per_epoch);
    const auto epochs = epochs_of(training.terminal_conditions, episodes_per_epoch);
    const schedule::TotalEpisodes* length =
        training.scheduler ? schedule::length_of(*training.scheduler) : nullptr;
    if (length != nullptr && length->given && limit) {
        if (std::string advice = cycle_advice(*length->given, *limit); !advice.empty()) {
            all.push_back({"training.scheduler.total_episodes", {std::move(advice)}});
        }
    }
    // A training of one epoch is a trial.
    if (training.scheduler && epochs.value_or(1) > 1) {
        if (auto late = late_change(*training.scheduler, training, *epochs)) {
            all.push_back({"training.scheduler." + late->option, {late->problem, late->fix}});
        }
    }
    if (limit) {
        if (auto average = average_advice(training, *limit)) {
            all.push_back(std::move(*average));
        }
    }
    const auto& conditions = training.terminal_conditions;
    const bool is_trial = conditions.epoch_limit == 1 || conditions.episode_limit == 1;
    if (training.warm_up && limit && !is_trial && training.warm_up->episodes > limit->episodes) {
        all.push_back(
            {"training.warm_up.episodes",
             {fmt::format("the warm-up has {}, but the training ends after {}: before the "
                          "learning rate has come up to lr",
                          counted(training.warm_up->episodes, "episode"), limit->episodes),
              "take fewer episodes, or a longer training"}});
    }
    const bool is_fast_dev_run = conditions.epoch_limit == 1 && conditions.episode_limit == 1;
    if (episodes_per_epoch && training.accumulate > *episodes_per_epoch && !is_fast_dev_run) {
        all.push_back(
            {"training.accumulate",
             {fmt::format("gradients of {} are to be added up, but an epoch has {}: the "
                          "optimizer has one step in each epoch, after its last batch",
                          counted(training.accumulate, "batch", "es"), *episodes_per_epoch),
              "take a smaller accumulate"}});
    }
    return all;
}

}  // namespace ptp::experiment
