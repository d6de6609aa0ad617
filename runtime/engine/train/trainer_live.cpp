// What can be asked of the trainer while it trains.

#include "base/error.hpp"
#include "base/memory.hpp"
#include "engine/train/trainer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::engine {

TrainingPosition Trainer::next_position() const {
    return {episodes_done_, epoch_, batches_done_};
}

// The losses of the last episode, the rates of the next, and the memory.
void Trainer::add_numbers(Value& table) const {
    Value losses;
    if (episodes_done_ > 0) {
        losses.set(session_.statistics.loss_name(), session_.statistics.last_loss());
    }
    Value rates;
    const std::vector<std::string> names = session_.optimization->rate_names();
    const std::vector<double> values = session_.optimization->learning_rates();
    for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
        rates.set(names[i], values[i]);
    }
    table.set("losses", std::move(losses));
    table.set("learning_rates", std::move(rates));
    table.set("memory_bytes", resident_bytes());
}

Value Trainer::standing() const {
    Value table = Value::table({{"episode", episodes_done_},
                                {"epoch", epochs_begun()},
                                {"seconds", training_time_.seconds()}});
    for (const auto& [key, measured] : {std::pair("last", &last_), std::pair("best", &best_)}) {
        if (!measured->set.empty()) {
            table.set(key, shown(*measured));
        }
    }
    progress_.add_to(table);
    add_numbers(table);
    return table;
}

// A rollback must not lead to before the swap. The best weights can be tested only by what they were
// made for.
void Trainer::swapped(bool has_other_tensors) {
    step_.rebind();
    progress_.forget_pace();
    if (has_other_tensors && best_saved_ != 0) {
        parts_.log.warn(
            "the best weights belong to the older build; the next ones count as the best");
        parts_.checkpoints.forget_best();
        stop_.forget_best();
        best_ = {};
        best_saved_ = 0;
    }
    if (session_.experiment.training.bad_loss.action == "rollback") {
        save(status_, false);
    }
}

// From a checkpoint that was saved before this, a resume would have to do it again.
void Trainer::experiment_changed() {
    const bool is_cut = status_ == Status::kEpisodeLimit || status_ == Status::kTimeLimit;
    if (is_cut && episodes_done_ % session_.training->batch_count() != 0) {
        parts_.log.warn(
            "the limit ended the training within an epoch, which counts as a whole one: the "
            "numbers are not those of a run that had the new limit from its start");
    }
    resume_limits();
    status_ = due_status();
    save(status_, false);
}

void Trainer::resume_limits() {
    const experiment::TerminalConditions& conditions =
        session_.experiment.training.terminal_conditions;
    stop_.change(conditions);
    progress_.change_limits(conditions);
}

bool Trainer::has_change() const {
    return batches_done_ < session_.training->batch_count() &&
           parts_.live.has_change(episodes_done_);
}

Status Trainer::due_status() const {
    if (batches_done_ > 0 || epoch_ == 0) {
        return Status::kRunning;
    }
    const Status verdict = is_online() ? Status::kRunning : stop_.judgement();
    const bool is_over = verdict == Status::kRunning && stop_.is_epoch_limit(epoch_);
    const Status due = is_over ? Status::kEpochLimit : verdict;
    return due != Status::kRunning && stop_.is_far_off() ? Status::kDiverged : due;
}

void Trainer::save_now() {
    save(status_, false);
}

std::string Trainer::no_validation() const {
    if (!session_.validation) {
        return "the experiment has no [validation]";
    }
    return episodes_done_ == 0 ? "nothing has been trained yet" : "";
}

std::optional<std::string> Trainer::validate_now() {
    const auto validated = validate({kValidationSet, last_position(), epoch_}, Table::kValidation);
    if (!validated) {
        return std::nullopt;
    }
    return fmt::format("validation after {} episodes: {}", episodes_done_, validated->text);
}

void Trainer::set_learning_rate(double rate, const std::string& group) {
    session_.optimization->set_learning_rate(rate, group);
}

void Trainer::check_group(const std::string& group) const {
    session_.optimization->check_group(group);
}

}  // namespace ptp::engine
