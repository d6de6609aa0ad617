#include "engine/train/stop.hpp"

#include <fmt/core.h>

namespace ptp::engine {

std::string_view status_name(Status status) {
    switch (status) {
        case Status::kNotConverged:
            return "not_converged";
        case Status::kConverged:
            return "converged";
        case Status::kEarlyStopping:
            return "early_stopping";
        case Status::kEpochLimit:
            return "epoch_limit";
        case Status::kEpisodeLimit:
            return "episode_limit";
        case Status::kInterrupted:
            return "interrupted";
    }
    return "";
}

std::string status_text(Status status, const config::TerminalConditions& conditions) {
    switch (status) {
        case Status::kNotConverged:
            return "not converged";
        case Status::kConverged:
            return fmt::format("converged: the loss fell below {}", conditions.loss_stop_threshold);
        case Status::kEarlyStopping:
            return fmt::format("stopped early: {} validations without a lower loss",
                               conditions.early_stop_validations);
        case Status::kEpochLimit:
            return fmt::format("epoch limit of {} reached", conditions.epoch_limit);
        case Status::kEpisodeLimit:
            return fmt::format("episode limit of {} reached", conditions.episode_limit);
        case Status::kInterrupted:
            return "interrupted";
    }
    return "";
}

bool StopRules::validated(double loss) {
    last_loss_ = loss;
    if (loss < best_loss_) {
        best_loss_ = loss;
        validations_without_gain_ = 0;
        return true;
    }
    ++validations_without_gain_;
    return false;
}

bool StopRules::is_episode_limit(std::uint64_t episodes_done) const {
    return conditions_.episode_limit >= 0 &&
           episodes_done >= static_cast<std::uint64_t>(conditions_.episode_limit);
}

Status StopRules::after_epoch(std::uint64_t epochs_done) const {
    if (last_loss_ < conditions_.loss_stop_threshold) {
        return Status::kConverged;
    }
    if (conditions_.early_stop_validations > 0 &&
        validations_without_gain_ >= conditions_.early_stop_validations) {
        return Status::kEarlyStopping;
    }
    if (epochs_done >= static_cast<std::uint64_t>(conditions_.epoch_limit)) {
        return Status::kEpochLimit;
    }
    return Status::kNotConverged;
}

}  // namespace ptp::engine
