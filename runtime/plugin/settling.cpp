#include "plugin/settling.hpp"

namespace ptp::plugin {

void Settling::seen(const FileState& state, TimePoint now) {
    if (since_ == TimePoint::min() || state != state_) {
        state_ = state;
        since_ = now;
    }
    is_settled_ = state_.exists && now - since_ >= quiet_;
}

std::optional<Settling::TimePoint> Settling::settles_at() const {
    return state_.exists ? std::optional(since_ + quiet_) : std::nullopt;
}

}  // namespace ptp::plugin
