// The texts of a refused swap.

#include "engine/swap/swap_error.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>

namespace ptp::engine {

std::string_view phase_name(SwapPhase phase) {
    constexpr std::array<std::string_view, 7> kNames = {"stage",   "inspect",  "load",  "create",
                                                        "migrate", "rehearse", "commit"};
    return kNames.at(static_cast<std::size_t>(phase) - 1);
}

SwapError::SwapError(SwapPhase phase, const Explanation& cause, RefusedFor refused_for,
                     ExitCode code)
    : PhaseError(
          fmt::format("{}({}): ", refused_for == RefusedFor::kNow ? "now " : "", phase_name(phase)),
          phase, cause, refused_for),
      code_(code) {}

std::string path_list(const std::vector<std::filesystem::path>& files) {
    return join(transformed(files, [](const std::filesystem::path& file) { return file.string(); }),
                ", ");
}

Explanation refusal_of(const std::vector<std::filesystem::path>& files, const SwapError& error) {
    const auto& [reason, fix] = error.explanation();
    return {fmt::format("{}: cannot be swapped in {}", path_list(files), reason), fix};
}

}  // namespace ptp::engine
