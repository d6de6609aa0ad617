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
    : std::runtime_error(fmt::format("({}): {}", phase_name(phase), reason)), phase_(phase) {}

SwapError SwapError::from_text(const std::string& text, SwapPhase phase) {
    for (auto number = static_cast<std::int32_t>(SwapPhase::kStage);
         number <= static_cast<std::int32_t>(SwapPhase::kCommit); ++number) {
        const auto other = static_cast<SwapPhase>(number);
        const std::string prefix = fmt::format("({}): ", phase_name(other));
        if (text.starts_with(prefix)) {
            return {other, text.substr(prefix.size())};
        }
    }
    return {phase, text};
}

std::string refusal_text(const std::vector<std::filesystem::path>& files, const SwapError& error) {
    std::string names;
    for (const std::filesystem::path& file : files) {
        names += (names.empty() ? "" : ", ") + file.string();
    }
    return fmt::format("{}: cannot be swapped in {}", names, error.what());
}

}  // namespace ptp::engine
