// The start of a run in several processes: they find each other, and check that they train the
// same.

#pragma once

#include "engine/distributed/collective.hpp"
#include "engine/request.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ptp::engine {

// Finds the other processes, if there are any. Throws RunError.
std::unique_ptr<Collective> join_processes(const RunRequest& request);

// Returns the experiment with the common seed.
experiment::Experiment with_common_seed(experiment::Experiment experiment, Collective& processes);

// Returns the experiment's device; if it does not specify which of several GPUs, one for each
// process of a host. Throws RunError with kConfigurationError.
at::Device device_of_rank(const experiment::Experiment& experiment,
                          const distributed::Place& place);

// Returns when all have called it. Connects their devices, and reports how gradients are summed
// unless these are CPUs; `is_compressed`: as bfloat16. Throws RunError.
void start_together(Collective& processes, at::Device device, bool is_compressed,
                    spdlog::logger& log);

// The values that must be equal in all of them.
struct RankFacts {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;
    Value plugins;                 // their names, versions and hashes
    std::filesystem::path folder;  // the run's, if the command names it
};
// Throws RunError in each of them, which names the first process that differs.
void require_same(const RankFacts& facts, Collective& processes);

}  // namespace ptp::engine
