// The start of a run in several processes, which check that they train the same, and its end.

#pragma once

#include "engine/distributed/collective.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <filesystem>
#include <string>

namespace ptp::engine {

// Returns the experiment with the common seed.
experiment::Experiment with_common_seed(experiment::Experiment experiment, Collective& processes);

// Returns the experiment's device; if it does not specify which of several GPUs, one for each
// process of a host. Throws RunError with kConfigurationError.
at::Device device_of_rank(const experiment::Experiment& experiment,
                          const distributed::Place& place);

// The values that must be equal in all of them.
struct RankFacts {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;
    Value plugins;                 // their names, versions and hashes
    std::filesystem::path folder;  // the run's, if the command names it
    std::string host;
};
// Throws RunError in each of them, which names the first process that differs.
void require_same(const RankFacts& facts, Collective& processes);

// Returns when all processes have ended the run. The first one's status is written by then, so it
// only logs that another is lost; others throw RunError.
void wait_at_end(Collective& processes, spdlog::logger& log);

}  // namespace ptp::engine
