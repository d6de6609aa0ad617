// All components of a run: the tasks and the pipeline, created in the plan's order and checked
// against each other with the sizes that are known only after creating them.

#pragma once

#include "engine/component/instance.hpp"
#include "pipeline/plan.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns the loaded descriptor of a node's component.
using Descriptors = std::function<const ptp_component_info&(const pipeline::Node&)>;

// A copy shares the instances.
struct Components {
    std::vector<std::shared_ptr<Instance>> tasks;  // as Plan::tasks
    std::vector<std::shared_ptr<Instance>> nodes;  // as Plan::nodes

    // The task of a section; nullptr if the experiment has none.
    [[nodiscard]] Instance* task(const std::string& section) const;

    void set_training(bool is_training) const;
    // In training mode: freezes what is frozen until a later epoch, and trains what was until now.
    void begin_epoch(std::uint64_t epoch) const;
};

// One node of the plan, frozen if the node is marked frozen. [main] Throws RunError.
std::shared_ptr<Instance> create_node(ComponentContext& component_context,
                                      const pipeline::Node& node, const ptp_component_info& info);

// A node that uses the instance of another one, of those that are created: Node::share.
std::shared_ptr<Instance> share_node(ComponentContext& component_context,
                                     const pipeline::Node& node, const Components& created);

// [main] Throws RunError.
Components create_components(ComponentContext& component_context, const Descriptors& descriptors);

}  // namespace ptp::engine
