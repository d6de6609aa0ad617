// What can be asked of the trainer while it trains.

#include "engine/error.hpp"
#include "engine/train/trainer.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

SwapPlace Trainer::next_place() const {
    return {episodes_done_, epoch_, batches_done_};
}

config::Value Trainer::standing() const {
    config::Value table = config::Value::table({{"episode", episodes_done_},
                                                {"epoch", epochs_begun()},
                                                {"seconds", training_time_.seconds()}});
    for (const auto& [key, measured] : {std::pair("last", &last_), std::pair("best", &best_)}) {
        if (!measured->set.empty()) {
            table.set(key, shown(*measured));
        }
    }
    return table;
}

// A rollback must not lead to before the swap. The best weights can be tested only by what they were
// made for.
void Trainer::swapped(bool has_other_tensors) {
    step_.take_over();
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
