// How the processes that train together find each other at the start of a run, and how they agree
// that they train the same.

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

// nullptr for a single process. Throws RunError.
std::unique_ptr<Group> join_group(const RunRequest& request);

// The experiment with the seed that all use. `group`: (optional).
experiment::Experiment with_common_seed(experiment::Experiment experiment, Group* group);

// The experiment's device; where it names none of several GPUs, one of its own for each process of
// a host. Throws RunError with kConfigurationError.
at::Device device_of_rank(const experiment::Experiment& experiment, const Group* group);

// The folder of the run, which the first process tells the others; `own` is its own.
std::filesystem::path common_folder(const std::filesystem::path& own, Group* group);

// An empty folder for what a process other than the first keeps for itself: copies of plugins. What
// it prints goes to its log from here on.
std::filesystem::path own_folder_of_rank(const std::filesystem::path& run, const Group& group);

// Where a resumed run continues: the first process looks for it, and puts aside what is damaged.
Checkpoints::Found common_resume_point(const RunRequest& request, const std::filesystem::path& run,
                                       Checkpoints& checkpoints, Group* group);

// Returns when all have called it. Connects their devices, and reports how gradients are summed
// where these are no CPUs; `is_compressed`: as bfloat16. Throws RunError.
void start_together(Group& group, at::Device device, bool is_compressed, spdlog::logger& log);

// What must be the same in all of them.
struct RankFacts {
    std::string experiment;        // as the run records it
    std::string plugins;           // their names, versions and hashes
    std::filesystem::path folder;  // of the run, where the command names one
};
// Throws RunError in each of them, which names the first process that differs.
void require_same(const RankFacts& facts, Group& group);

}  // namespace ptp::engine
