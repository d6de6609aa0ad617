#include "engine/step/components.hpp"

#include "engine/error.hpp"
#include "pipeline/sizes.hpp"

#include <fmt/core.h>

namespace ptp::engine {

namespace {

// Compares what a component sees of its streams with what the streams are by now.
void compare(const pipeline::Plan& plan, const pipeline::Node& node,
             const std::vector<pipeline::Binding>& bindings, std::string& problems) {
    for (const pipeline::Binding& binding : bindings) {
        if (binding.stream < 0 || !binding.has_shape) {
            continue;
        }
        const auto& stream = plan.streams[static_cast<std::size_t>(binding.stream)];
        bool differs = stream.has_shape && stream.shape.size() != binding.shape.size();
        for (std::size_t i = 0; stream.has_shape && !differs && i < binding.shape.size(); ++i) {
            const auto own = pipeline::size_of(plan, binding.shape[i]);
            const auto other = pipeline::size_of(plan, stream.shape[i]);
            differs = own && other && *own != *other;
        }
        if (differs) {
            problems += fmt::format("{}{}: {}: '{}' is {}, the stream '{}' is {}",
                                    problems.empty() ? "" : "\n", node.place.text(),
                                    pipeline::node_text(node), binding.name,
                                    pipeline::shape_text(plan, binding.shape), stream.name,
                                    pipeline::shape_text(plan, stream.shape));
        }
    }
}

void finish_handshake(const pipeline::Plan& plan) {
    std::string problems;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            compare(plan, node, node.inputs, problems);
            compare(plan, node, node.outputs, problems);
        }
    }
    if (!problems.empty()) {
        throw RunError(kConfigurationError, problems);
    }
}

void freeze(Instance& instance) {
    for (NamedTensor& named : instance.tensors()) {
        if (named.role == PTP_PARAMETER) {
            named.tensor.set_requires_grad(false);
        }
    }
    instance.set_training(false);
}

}  // namespace

Instance* Components::task(const std::string& section) const {
    for (const std::shared_ptr<Instance>& task : tasks) {
        if (task->node().section == section) {
            return task.get();
        }
    }
    return nullptr;
}

void Components::set_training(bool is_training) const {
    for (const std::shared_ptr<Instance>& node : nodes) {
        node->set_training(is_training);
    }
}

std::shared_ptr<Instance> create_node(Surroundings& surroundings, const pipeline::Node& node,
                                      const ptp_component_info& info) {
    auto made = std::make_shared<Instance>(surroundings, node, info);
    if (node.is_frozen) {
        freeze(*made);
    }
    return made;
}

Components create_components(Surroundings& surroundings, const Descriptors& descriptors) {
    Components made;
    for (const pipeline::Node& task : surroundings.plan.tasks) {
        made.tasks.push_back(std::make_shared<Instance>(surroundings, task, descriptors(task)));
    }
    for (const pipeline::Node& node : surroundings.plan.nodes) {
        made.nodes.push_back(create_node(surroundings, node, descriptors(node)));
    }
    finish_handshake(surroundings.plan);
    return made;
}

}  // namespace ptp::engine
