// Builds that a watch has reported and that were refused for now: they are tried again when the
// next epoch begins.

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
        Files files;                         // that belong together
        std::vector<plugin::Staged> staged;  // their copies; none if they could not be made
        std::uint64_t epoch = 0;             // in which it was refused
    };

    void add(Build build) { builds_.push_back(std::move(build)); }

    // There are newer builds of these files.
    void forget(const Files& files);

    // Those that were refused in another epoch than this. They are given once.
    [[nodiscard]] std::vector<Build> due(std::uint64_t epoch);

private:
    std::vector<Build> builds_;
};

}  // namespace ptp::engine
