// The transforms that depend on nothing but one task: those that run in its loader threads,
// directly after it, and two wider groups, for samplers and for batches that several processes
// share. Also the streams of a task that nothing reads afterwards, which need no memory.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/instance.hpp"

#include <vector>

namespace ptp::engine {

// Returns the transforms that may run in the loader threads and whose inputs all come from this
// task or from each other, in the order in which they run. Depends on the pipeline, not on the
// number of threads.
std::vector<Instance*> loader_stage(const Components& components, const Instance& task);

// Returns the transforms that treat each sample by itself, in loader threads or not, and whose
// inputs all come from this task or from each other, in the order in which they run.
std::vector<Instance*> per_sample_stage(const Components& components, const Instance& task);

// Returns all transforms whose inputs come from this task or from each other, in the order in which
// they run: those before anything that is trained.
std::vector<Instance*> transform_stage(const Components& components, const Instance& task);

// Returns the streams that this task and its loader_stage() write and that no component reads that
// runs after them on its batches.
std::vector<int> unread_streams(const Components& components, const Instance& task);

// Returns whether an exchange of these nodes, by their places in Components::nodes, may change a
// task's loader stage: whether one of them is, or newly becomes, part of one.
bool may_change_loader_stages(const Components& components, const std::vector<bool>& exchanged);

}  // namespace ptp::engine
