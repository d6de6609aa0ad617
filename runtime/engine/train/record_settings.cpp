#include "engine/train/record_settings.hpp"

#include <algorithm>
#include <string>

namespace ptp::engine {

namespace {

void add_settings(const std::vector<pipeline::Node>& nodes, const std::string& path,
                  Value& settings) {
    const auto node = std::ranges::find(nodes, path, &pipeline::Node::path);
    if (node == nodes.end()) {
        return;
    }
    for (std::size_t i = 0; i < node->settings.size(); ++i) {
        if (node->settings[i]) {
            settings.set(node->component->settings[i].name, *node->settings[i]);
        }
    }
}

}  // namespace

experiment::Experiment with_settings(experiment::Experiment experiment,
                                     const pipeline::Plan& plan) {
    for_each_settings(experiment, [&](const std::string& path, Value& settings) {
        add_settings(plan.tasks, path, settings);
        add_settings(plan.only_recorded, path, settings);
        add_settings(plan.nodes, path, settings);
    });
    return experiment;
}

}  // namespace ptp::engine
