// The texts of a refused swap.

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

SwapError::SwapError(SwapPhase phase, const Explanation& cause, RefusedFor refused_for,
                     ExitCode code)
    : PhaseError(
          fmt::format("{}({}): ", refused_for == RefusedFor::kNow ? "now " : "", phase_name(phase)),
          phase, cause, refused_for),
      code_(code) {}

std::string path_list(const std::vector<std::filesystem::path>& files) {
    std::string names;
    for (const std::filesystem::path& file : files) {
        names += (names.empty() ? "" : ", ") + file.string();
    }
    return names;
}

Explanation refusal_of(const std::vector<std::filesystem::path>& files, const SwapError& error) {
    const auto& [reason, fix] = error.explanation();
    return {fmt::format("{}: cannot be swapped in {}", path_list(files), reason), fix};
}

}  // namespace ptp::engine
