// Logs what components that are tried in turn do with samples: the first refusal of each with its
// reason, and in the end how many samples each took and refused.

#pragma once

#include "engine/component/frame.hpp"
#include "pipeline/plan.hpp"

#include <spdlog/logger.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

// The samples that a component took, and those that it refused.
struct TriedCount {
    std::string section;    // of `try`
    std::string component;  // the name of its table
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;
};

// Used by one thread at a time.
class TriedLog {
public:
    explicit TriedLog(std::shared_ptr<spdlog::logger> log) : log_(std::move(log)) {}

    // Counts what was tried on a batch that a step takes.
    void add(const std::vector<TriedSamples>& tried);

    // Returns the counts so far of all components of the plan that are tried, in their order.
    [[nodiscard]] std::vector<TriedCount> counts(const pipeline::Plan& plan) const;

    // Logs counts, a line for each section that has tried anything, and forgets its own.
    void finish(const std::vector<TriedCount>& counts);

private:
    std::shared_ptr<spdlog::logger> log_;
    std::vector<TriedCount> counts_;
};

}  // namespace ptp::engine
