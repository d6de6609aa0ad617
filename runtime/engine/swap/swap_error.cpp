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

namespace {

std::string prefix_of(SwapPhase phase, RefusedFor refused_for) {
    return fmt::format("{}({}): ", refused_for == RefusedFor::kNow ? "now " : "",
                       phase_name(phase));
}

}  // namespace

SwapError::SwapError(SwapPhase phase, const std::string& reason, RefusedFor refused_for,
                     ExitCode code)
    : std::runtime_error(prefix_of(phase, refused_for) + reason),
      phase_(phase),
      refused_for_(refused_for),
      code_(code) {}

SwapError SwapError::from_text(const std::string& text, SwapPhase phase) {
    for (auto number = static_cast<std::int32_t>(SwapPhase::kStage);
         number <= static_cast<std::int32_t>(SwapPhase::kCommit); ++number) {
        const auto other = static_cast<SwapPhase>(number);
        for (const RefusedFor refused_for : {RefusedFor::kGood, RefusedFor::kNow}) {
            const std::string prefix = prefix_of(other, refused_for);
            if (text.starts_with(prefix)) {
                const bool is_for_lack =
                    other == SwapPhase::kLoad && refused_for == RefusedFor::kNow;
                return {other, text.substr(prefix.size()), refused_for,
                        is_for_lack ? kTrainingError : kPluginError};
            }
        }
    }
    return {phase, text};
}

std::string path_list(const std::vector<std::filesystem::path>& files) {
    std::string names;
    for (const std::filesystem::path& file : files) {
        names += (names.empty() ? "" : ", ") + file.string();
    }
    return names;
}

std::string refusal_text(const std::vector<std::filesystem::path>& files, const SwapError& error) {
    return fmt::format("{}: cannot be swapped in {}", path_list(files), error.what());
}

}  // namespace ptp::engine
