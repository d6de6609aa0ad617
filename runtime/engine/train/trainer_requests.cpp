// The requests that a trainer serves between two episodes: see live_training.hpp.

#include "base/memory.hpp"
#include "base/number.hpp"
#include "engine/train/trainer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ptp::engine {

Value Trainer::status() const {
    const TrainerProgress& state = context_.state;
    Value table = Value::table({{"episode", state.episodes_done},
                                {"epoch", state.epochs_begun()},
                                {"seconds", context_.time.seconds()}});
    for (const auto& [key, measured] :
         {std::pair(run::kLastMeasured, &state.last), std::pair(run::kBestMeasured, &state.best)}) {
        if (!measured->set.empty()) {
            table.set(key, run::value_of(*measured));
        }
    }
    context_.progress.add_to(table);
    Value losses;  // of the last episode
    if (state.episodes_done > 0) {
        losses.set(session_.statistics.loss_name(), session_.statistics.last_loss());
    }
    Value rates;  // of the next
    const std::vector<std::string>& names = session_.optimization->rate_names();
    const std::vector<double> values = session_.optimization->learning_rates();
    for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
        rates.set(names[i], values[i]);
    }
    table.set("losses", std::move(losses));
    table.set("learning_rates", std::move(rates));
    table.set("memory_bytes", resident_bytes());
    return table;
}

// Prevents rollbacks to before the swap. The best weights can only be tested by the components for
// which they were made.
void Trainer::swapped(bool has_other_tensors) {
    session_.components.begin_epoch(context_.state.epoch);
    episode_.rebind();
    context_.progress.forget_pace();
    are_facts_due_ = has_model_file();
    if (has_other_tensors && context_.state.best_saved != 0) {
        context_.log.warn("best checkpoint reset: it belongs to the older build");
        checkpointer_.forget_best();
    }
    if (context_.may_roll_back()) {
        save_now();
    }
}

// A resume from an earlier checkpoint would have to make the change again.
void Trainer::experiment_changed() {
    TrainerProgress& state = context_.state;
    const bool is_cut =
        state.status() == Status::kEpisodeLimit || state.status() == Status::kTimeLimit;
    if (is_cut && state.episodes_done % session_.training->batch_count() != 0) {
        context_.log.warn(
            "the limit ended the training within an epoch, which counts as a whole one: the "
            "numbers differ from a run that had the new limit from its start");
    }
    context_.resume_limits();
    state.set_status(context_.due_status());
    save_now();
}

std::string Trainer::no_validation() const {
    if (!session_.validation) {
        return "the experiment has no [validation]";
    }
    return context_.state.episodes_done == 0 ? "nothing has been trained yet" : "";
}

std::optional<std::string> Trainer::validate_now() {
    const TrainerProgress& state = context_.state;
    const auto validated =
        validator_.validate({kValidationSet, state.last_position(), state.epoch});
    if (!validated) {
        return std::nullopt;
    }
    std::string text = validated->front().text;
    if (validated->size() > 1) {
        text.clear();
        for (const Measured& measured : *validated) {
            text += fmt::format("{}{}  {}", text.empty() ? "" : "; ", measured.record.set,
                                measured.text);
        }
    }
    return fmt::format("validation after {}: {}", counted(state.episodes_done, "episode"), text);
}

void Trainer::set_learning_rate(double rate, const std::string& group) {
    session_.optimization->set_learning_rate(rate, group);
}

void Trainer::check_group(const std::string& group) const {
    session_.optimization->check_group(group);
}

}  // namespace ptp::engine
