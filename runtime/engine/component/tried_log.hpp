// Logs what components that are tried in turn do with samples: the first refusal of each with its
// reason, and in the end how many samples each took and refused.

#pragma once

#include "engine/component/frame.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// Used by one thread at a time.
class TriedLog {
public:
    explicit TriedLog(std::shared_ptr<spdlog::logger> log) : log_(std::move(log)) {}

    // Counts what was tried on a batch that a step takes.
    void add(const std::vector<TriedSamples>& tried);

    // Logs the counts, a line for each section that tries, and forgets them.
    void finish();

private:
    struct Count {
        std::string section;
        std::string component;
        std::uint64_t taken = 0;
        std::uint64_t refused = 0;
    };

    std::shared_ptr<spdlog::logger> log_;
    std::vector<Count> counts_;  // in the order in which they are tried
};

}  // namespace ptp::engine
