#include "engine/train/training_controls.hpp"

#include "base/counted.hpp"
#include "base/memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ptp::engine {

void TrainingControls::resume_limits() {
    const experiment::TerminalConditions& conditions =
        parts_.experiment.training.terminal_conditions;
    parts_.stop.change(conditions);
    parts_.progress.change_limits(conditions);
}

Value TrainingControls::standing() const {
    const TrainerState& state = parts_.state;
    Value table = Value::table({{"episode", state.episodes_done},
                                {"epoch", state.epochs_begun()},
                                {"seconds", parts_.time.seconds()}});
    for (const auto& [key, measured] :
         {std::pair(run::kLastMeasured, &state.last), std::pair(run::kBestMeasured, &state.best)}) {
        if (!measured->set.empty()) {
            table.set(key, shown(*measured));
        }
    }
    parts_.progress.add_to(table);
    add_numbers(table);
    return table;
}

// Adds the losses of the last episode, the rates of the next, and the memory.
void TrainingControls::add_numbers(Value& table) const {
    Value losses;
    if (parts_.state.episodes_done > 0) {
        losses.set(parts_.statistics.loss_name(), parts_.statistics.last_loss());
    }
    Value rates;
    const Optimization& optimization = parts_.actions.optimization();
    const std::vector<std::string>& names = optimization.rate_names();
    const std::vector<double> values = optimization.learning_rates();
    for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
        rates.set(names[i], values[i]);
    }
    table.set("losses", std::move(losses));
    table.set("learning_rates", std::move(rates));
    table.set("memory_bytes", resident_bytes());
}

// Prevents rollbacks to before the swap. The best weights can only be tested by the components for
// which they were made.
void TrainingControls::swapped(bool has_other_tensors) {
    parts_.actions.rebind();
    parts_.progress.forget_pace();
    if (has_other_tensors && parts_.state.best_saved != 0) {
        parts_.log.warn("best checkpoint reset: it belongs to the older build");
        parts_.actions.forget_best();
    }
    if (parts_.experiment.training.bad_loss.action == "rollback") {
        save_now();
    }
}

// A resume from an earlier checkpoint would have to make the change again.
void TrainingControls::experiment_changed() {
    TrainerState& state = parts_.state;
    const bool is_cut = state.status == Status::kEpisodeLimit || state.status == Status::kTimeLimit;
    if (is_cut && state.episodes_done % parts_.actions.batches_per_epoch() != 0) {
        parts_.log.warn(
            "the limit ended the training within an epoch, which counts as a whole one: the "
            "numbers differ from a run that had the new limit from its start");
    }
    resume_limits();
    state.status = due_status();
    save_now();
}

// Returns the status by all conditions except the limits of episodes and of time.
Status TrainingControls::due_status() const {
    const TrainerState& state = parts_.state;
    const StopRules& stop = parts_.stop;
    if (state.batches_done > 0 || state.epoch == 0) {
        return Status::kRunning;
    }
    const bool is_online = parts_.experiment.training.worker == experiment::Worker::kOnline;
    const Status verdict = is_online ? Status::kRunning : stop.judgement();
    const bool is_over = verdict == Status::kRunning && stop.is_epoch_limit(state.epoch);
    const Status due = is_over ? Status::kEpochLimit : verdict;
    return due != Status::kRunning && stop.is_far_off() ? Status::kDiverged : due;
}

std::string TrainingControls::no_validation() const {
    if (!parts_.actions.validate) {
        return "the experiment has no [validation]";
    }
    return parts_.state.episodes_done == 0 ? "nothing has been trained yet" : "";
}

std::optional<std::string> TrainingControls::validate_now() {
    const auto validated =
        parts_.actions.validate({kValidationSet, parts_.state.last_position(), parts_.state.epoch});
    if (!validated) {
        return std::nullopt;
    }
    std::string text = validated->front().text;
    if (validated->size() > 1) {
        text.clear();
        for (const Measurement& measured : *validated) {
            text += fmt::format("{}{}  {}", text.empty() ? "" : "; ", measured.set, measured.text);
        }
    }
    return fmt::format("validation after {}: {}", counted(parts_.state.episodes_done, "episode"),
                       text);
}

}  // namespace ptp::engine
