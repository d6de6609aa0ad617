// The start of a run in several processes: they find each other, and check that they train the
// same.

#pragma once

#include "engine/checkpoint/checkpoints.hpp"
#include "engine/distributed/group.hpp"
#include "engine/request.hpp"

#include <c10/core/Device.h>
#include <spdlog/logger.h>

#include <filesystem>
#include <memory>
#include <string>

namespace ptp::engine {

// Returns nullptr for a single process. Throws RunError.
std::unique_ptr<Group> join_group(const RunRequest& request);

// Returns the experiment with the common seed. `group`: (optional).
experiment::Experiment with_common_seed(experiment::Experiment experiment, Group* group);

// Returns the experiment's device; if it does not specify which of several GPUs, one for each
// process of a host. Throws RunError with kConfigurationError.
at::Device device_of_rank(const experiment::Experiment& experiment, const Group* group);

// Returns the folder of the run, which the first process sends to the others; `own` is its own.
std::filesystem::path common_folder(const std::filesystem::path& own, Group* group);

// Makes an empty folder for files of a process other than the first: copies of plugins. From here
// on, its output goes to its log.
std::filesystem::path own_folder_of_rank(const std::filesystem::path& run, const Group& group);

// Returns where a resumed run continues: the first process searches, and renames damaged
// checkpoints.
Checkpoints::Found common_resume_point(const RunRequest& request, const std::filesystem::path& run,
                                       Checkpoints& checkpoints, Group* group);

// Returns when all have called it. Connects their devices, and reports how gradients are summed
// unless these are CPUs; `is_compressed`: as bfloat16. Throws RunError.
void start_together(Group& group, at::Device device, bool is_compressed, spdlog::logger& log);

// The values that must be equal in all of them.
struct RankFacts {
    std::string experiment;        // as the run records it
    std::string plugins;           // their names, versions and hashes
    std::filesystem::path folder;  // the run's, if the command names it
};
// Throws RunError in each of them, which names the first process that differs.
void require_same(const RankFacts& facts, Group& group);

}  // namespace ptp::engine
