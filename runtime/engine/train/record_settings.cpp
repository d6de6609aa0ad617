#include "engine/train/record_settings.hpp"

#include <algorithm>

namespace ptp::engine {

namespace {

void add_settings(const std::vector<pipeline::Node>& nodes, const std::string& path,
                  config::Value& settings) {
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

config::Experiment with_settings(config::Experiment experiment, const pipeline::Plan& plan) {
    add_settings(plan.tasks, experiment.training.task.path, experiment.training.task.settings);
    for (std::optional<config::Section>* section : {&experiment.validation, &experiment.test}) {
        if (*section) {
            add_settings(plan.tasks, (*section)->task.path, (*section)->task.settings);
        }
    }
    for (config::ComponentEntry& entry : experiment.pipeline.components) {
        add_settings(plan.nodes, entry.path, entry.settings);
    }
    return experiment;
}

}  // namespace ptp::engine
