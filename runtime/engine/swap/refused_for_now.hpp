// Builds reported by a watch that were refused for now: they are retried when the next epoch
// begins.

#pragma once

#include "plugin/staging.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ptp::engine {

// [main]
class RefusedForNow {
public:
    using Files = std::vector<std::filesystem::path>;

    struct Build {
        Files files;                         // files that belong together
        std::vector<plugin::Staged> staged;  // their copies; none if they could not be made
        std::uint64_t epoch = 0;             // the epoch of the refusal
    };

    void add(Build build) { builds_.push_back(std::move(build)); }

    // Forgets these files, which have newer builds.
    void forget(const Files& files);

    // Returns, once, the builds that were refused in another epoch than this.
    [[nodiscard]] std::vector<Build> due(std::uint64_t epoch);

private:
    std::vector<Build> builds_;
};

}  // namespace ptp::engine
