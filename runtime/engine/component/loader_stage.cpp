// Finds the transforms that depend on nothing but a task, and the streams that nothing reads after
// them.

#include "engine/component/loader_stage.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace ptp::engine {

namespace {

// Returns the places of the nodes that read only outputs of this task or of each other.
template <class May>
std::vector<std::size_t> places_behind(const Components& components, std::size_t task, May may) {
    std::set<int> loaded;
    const auto add_outputs = [&loaded](const pipeline::Node& node) {
        for (const pipeline::Binding& output : node.outputs) {
            loaded.insert(output.stream);
        }
    };
    const auto is_loaded = [&loaded](const pipeline::Binding& input) {
        return input.stream < 0 || loaded.contains(input.stream);
    };
    add_outputs(components.tasks[task]->node());
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < components.nodes.size(); ++i) {
        const Instance& instance = *components.nodes[i];
        const pipeline::Node& node = instance.node();
        if (node.runs_on(task) && may(instance) && std::ranges::all_of(node.inputs, is_loaded)) {
            places.push_back(i);
            add_outputs(node);
        }
    }
    return places;
}

template <class May>
std::vector<Instance*> stage_behind(const Components& components, const Instance& task, May may) {
    const auto place = std::ranges::find(components.tasks, &task, &std::shared_ptr<Instance>::get);
    std::vector<Instance*> stage;
    for (const std::size_t node : places_behind(
             components, static_cast<std::size_t>(place - components.tasks.begin()), may)) {
        stage.push_back(components.nodes[node].get());
    }
    return stage;
}

}  // namespace

std::vector<Instance*> loader_stage(const Components& components, const Instance& task) {
    return stage_behind(components, task,
                        [](const Instance& instance) { return instance.may_run_in_loaders(); });
}

std::vector<Instance*> per_sample_stage(const Components& components, const Instance& task) {
    return stage_behind(components, task, [](const Instance& instance) {
        return instance.is_per_sample() &&
               instance.node().component->kind == plugin::Kind::kTransform;
    });
}

std::vector<Instance*> transform_stage(const Components& components, const Instance& task) {
    return stage_behind(components, task, [](const Instance& instance) {
        return instance.node().component->kind == plugin::Kind::kTransform;
    });
}

std::vector<int> unread_streams(const Components& components, const Instance& task) {
    const auto place = std::ranges::find(components.tasks, &task, &std::shared_ptr<Instance>::get);
    const auto number = static_cast<std::size_t>(place - components.tasks.begin());
    const std::vector<Instance*> stage = loader_stage(components, task);
    std::set<int> read;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        const bool is_loaded = std::ranges::find(stage, node.get()) != stage.end();
        if (is_loaded || !node->node().runs_on(number)) {
            continue;
        }
        for (const pipeline::Binding& input : node->node().inputs) {
            read.insert(input.stream);
        }
    }
    std::vector<int> unread;
    const auto add_unread = [&](const pipeline::Node& node) {
        for (const pipeline::Binding& output : node.outputs) {
            if (output.stream >= 0 && !read.contains(output.stream)) {
                unread.push_back(output.stream);
            }
        }
    };
    add_unread(task.node());
    for (const Instance* transform : stage) {
        add_unread(transform->node());
    }
    return unread;
}

bool may_change_loader_stages(const Components& components, const std::vector<bool>& exchanged) {
    const auto may = [](const Instance& instance) {
        return instance.node().component->kind == plugin::Kind::kTransform;
    };
    for (std::size_t task = 0; task < components.tasks.size(); ++task) {
        const std::vector<std::size_t> places = places_behind(components, task, may);
        if (std::ranges::any_of(places, [&](std::size_t place) { return exchanged[place]; })) {
            return true;
        }
    }
    return false;
}

}  // namespace ptp::engine
