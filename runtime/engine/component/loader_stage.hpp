// The transforms that run in the loader threads, right behind the task.

#pragma once

#include "engine/component/components.hpp"
#include "engine/component/instance.hpp"

#include <vector>

namespace ptp::engine {

// Those that may, and all whose inputs come from this task or from others of them, in the order in
// which they run. A function of the pipeline, not of the number of threads.
std::vector<Instance*> loader_stage(const Components& components, const Instance& task);

// Those that treat each sample by itself, in loader threads or not, and all whose inputs come from
// this task or from others of them, in the order in which they run.
std::vector<Instance*> per_sample_stage(const Components& components, const Instance& task);

// All transforms whose inputs come from this task or from others of them, in the order in which
// they run: those before whatever is trained.
std::vector<Instance*> transform_stage(const Components& components, const Instance& task);

// The streams that this task and its loader_stage() write, and that no component reads which runs
// after them on its batches.
std::vector<int> unread_streams(const Components& components, const Instance& task);

// Whether an exchange of these nodes, by their places in Components::nodes, may change what runs
// there for any task: one of them is, or newly becomes, a part of it.
bool may_change_loader_stages(const Components& components, const std::vector<bool>& exchanged);

}  // namespace ptp::engine
