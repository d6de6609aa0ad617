#include "engine/swap/swap_error.hpp"

#include <fmt/core.h>

namespace ptp::engine {

std::string_view phase_name(SwapPhase phase) {
    switch (phase) {
        case SwapPhase::kStage:
            return "stage";
        case SwapPhase::kInspect:
            return "inspect";
        case SwapPhase::kLoad:
            return "load";
        case SwapPhase::kCreate:
            return "create";
        case SwapPhase::kMigrate:
            return "migrate";
        case SwapPhase::kRehearse:
            return "rehearse";
        case SwapPhase::kCommit:
            return "commit";
    }
    return "";
}

SwapError::SwapError(SwapPhase phase, const std::string& reason)
    : std::runtime_error(fmt::format("refused ({}): {}", phase_name(phase), reason)),
      phase_(phase) {}

}  // namespace ptp::engine
