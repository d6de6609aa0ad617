#include "engine/swap/refused_for_now.hpp"

#include <algorithm>
#include <utility>

namespace ptp::engine {

// The remaining files of a build are staged anew: they may be of other plugins.
void RefusedForNow::forget(const Files& files) {
    for (Build& build : builds_) {
        const auto forgotten = std::erase_if(build.files, [&](const std::filesystem::path& file) {
            return std::ranges::count(files, file) > 0;
        });
        if (forgotten > 0) {
            build.staged.clear();
        }
    }
    std::erase_if(builds_, [](const Build& build) { return build.files.empty(); });
}

std::vector<RefusedForNow::Build> RefusedForNow::due(std::uint64_t epoch) {
    std::vector<Build> due;
    std::erase_if(builds_, [&](Build& build) {
        const bool is_due = build.epoch != epoch;
        if (is_due) {
            due.push_back(std::move(build));
        }
        return is_due;
    });
    return due;
}

}  // namespace ptp::engine
