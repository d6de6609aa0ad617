// Names the folders and files that depend on the environment or on a rank.

#include "run/paths.hpp"

#include <fmt/core.h>

#include <cstdlib>

namespace ptp::run {

std::filesystem::path runs_root() {
    const char* const folder = std::getenv("PTP_RUNS");
    return folder == nullptr || *folder == '\0' ? "runs" : folder;
}

std::filesystem::path rank_folder(const std::filesystem::path& run, std::int64_t rank) {
    return run / kRanksFolder / fmt::format("{}", rank);
}

std::filesystem::path rank_log(const std::filesystem::path& run, std::int64_t rank) {
    return run / kRanksFolder / fmt::format("{}.log", rank);
}

std::filesystem::path rank_state(const std::filesystem::path& run, std::int64_t rank) {
    return run / kRanksFolder / fmt::format("{}.state", rank);
}

}  // namespace ptp::run
