#include "engine/train/stop.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace ptp::engine {

namespace {

struct StatusName {
    Status status;
    std::string_view name;
};

constexpr std::array kStatusNames = {
    StatusName{Status::kNotConverged, "not_converged"},
    StatusName{Status::kConverged, "converged"},
    StatusName{Status::kEarlyStopping, "early_stopping"},
    StatusName{Status::kEpochLimit, "epoch_limit"},
    StatusName{Status::kEpisodeLimit, "episode_limit"},
    StatusName{Status::kTimeLimit, "time_limit"},
    StatusName{Status::kInterrupted, "interrupted"},
};

}  // namespace

std::string_view status_name(Status status) {
    const auto* const named = std::ranges::find(kStatusNames, status, &StatusName::status);
    return named == kStatusNames.end() ? "" : named->name;
}

std::optional<Status> status_from(std::string_view name) {
    const auto* const named = std::ranges::find(kStatusNames, name, &StatusName::name);
    return named == kStatusNames.end() ? std::nullopt : std::optional(named->status);
}

std::string status_text(Status status, const config::TerminalConditions& conditions) {
    switch (status) {
        case Status::kNotConverged:
            return "not converged";
        case Status::kConverged:
            return fmt::format("converged: the loss fell below {}",
                               conditions.loss_stop_threshold.value_or(0));
        case Status::kEarlyStopping:
            return fmt::format("stopped early: {} validations without a lower loss",
                               conditions.early_stop_validations);
        case Status::kEpochLimit:
            return fmt::format("epoch limit of {} reached", conditions.epoch_limit);
        case Status::kEpisodeLimit:
            return fmt::format("episode limit of {} reached", conditions.episode_limit);
        case Status::kTimeLimit:
            return fmt::format("time limit of {} reached",
                               config::duration_text(conditions.wall_time.seconds));
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

Status StopRules::judgement() const {
    if (conditions_.loss_stop_threshold && last_loss_ < *conditions_.loss_stop_threshold) {
        return Status::kConverged;
    }
    if (conditions_.early_stop_validations > 0 &&
        validations_without_gain_ >= conditions_.early_stop_validations) {
        return Status::kEarlyStopping;
    }
    return Status::kNotConverged;
}

Status StopRules::limit(std::uint64_t episodes_done, double seconds) const {
    if (conditions_.episode_limit >= 0 &&
        episodes_done >= static_cast<std::uint64_t>(conditions_.episode_limit)) {
        return Status::kEpisodeLimit;
    }
    if (conditions_.wall_time.seconds > 0 && seconds >= conditions_.wall_time.seconds) {
        return Status::kTimeLimit;
    }
    return Status::kNotConverged;
}

bool StopRules::is_epoch_limit(std::uint64_t epochs_done) const {
    return conditions_.epoch_limit >= 0 &&
           epochs_done >= static_cast<std::uint64_t>(conditions_.epoch_limit);
}

SavedState StopRules::save() const {
    SavedState saved;
    saved.record = config::Value::table({{"best_loss", best_loss_},
                                         {"last_loss", last_loss_},
                                         {"validations_without_gain", validations_without_gain_}});
    return saved;
}

void StopRules::restore(const SavedState& saved) {
    best_loss_ = real_in(saved.record, "best_loss");
    last_loss_ = real_in(saved.record, "last_loss");
    validations_without_gain_ = integer_in(saved.record, "validations_without_gain");
}

}  // namespace ptp::engine
