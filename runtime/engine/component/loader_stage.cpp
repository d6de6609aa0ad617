// Finds the transforms that depend on nothing but a task, and the streams that nothing reads after
// them.

#include "engine/component/loader_stage.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

namespace ptp::engine {

namespace {

std::size_t number_of(const Components& components, const Instance& task) {
    const auto found = std::ranges::find(components.tasks, &task, &std::shared_ptr<Instance>::get);
    return static_cast<std::size_t>(found - components.tasks.begin());
}

// Returns the nodes that read only outputs of this task or of each other, in their order.
template <class May>
std::vector<Instance*> stage_behind(const Components& components, std::size_t task, May may) {
    std::set<int> loaded;
    const auto add_outputs = [&loaded](const pipeline::Node& node) {
        std::ranges::copy(node.written_streams(), std::inserter(loaded, loaded.end()));
    };
    add_outputs(components.tasks[task]->node());
    std::vector<Instance*> stage;
    // Components that are tried in turn are in the stage together, or none of them.
    const auto may_with_others = [&](const pipeline::Node& node) {
        return std::ranges::all_of(components.nodes, [&](const std::shared_ptr<Instance>& other) {
            const bool is_with =
                &other->node() == &node ||
                (!node.tried_in.empty() && other->node().tried_in == node.tried_in);
            return !is_with || may(*other);
        });
    };
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        const pipeline::Node& node = instance->node();
        if (node.writes_on(task) && may_with_others(node) &&
            std::ranges::all_of(node.read_streams(),
                                [&](int stream) { return loaded.contains(stream); })) {
            stage.push_back(instance.get());
            add_outputs(node);
        }
    }
    return stage;
}

bool is_transform(const Instance& instance) {
    return instance.node().component->kind == plugin::Kind::kTransform;
}

}  // namespace

std::vector<Instance*> loader_stage(const Components& components, const Instance& task) {
    return stage_behind(components, number_of(components, task), [](const Instance& instance) {
        return instance.may_run_in_loaders() && instance.node().may_prepare();
    });
}

std::vector<Instance*> per_sample_stage(const Components& components, const Instance& task) {
    return stage_behind(components, number_of(components, task), [](const Instance& instance) {
        return instance.is_per_sample() && is_transform(instance);
    });
}

std::vector<Instance*> transform_stage(const Components& components, const Instance& task) {
    return stage_behind(components, number_of(components, task), is_transform);
}

std::vector<int> unread_streams(const Components& components, const Instance& task) {
    const std::size_t number = number_of(components, task);
    const std::vector<Instance*> stage = loader_stage(components, task);
    std::set<int> read;
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        const bool is_loaded = std::ranges::find(stage, node.get()) != stage.end();
        if (!is_loaded && node->node().writes_on(number)) {
            std::ranges::copy(node->node().read_streams(), std::inserter(read, read.end()));
        }
    }
    std::vector<int> unread;
    const auto add_unread = [&](const Instance& writer) {
        std::ranges::copy_if(writer.node().written_streams(), std::back_inserter(unread),
                             [&](int stream) { return !read.contains(stream); });
    };
    add_unread(task);
    for (const Instance* transform : stage) {
        add_unread(*transform);
    }
    return unread;
}

bool may_change_loader_stages(const Components& components, const std::vector<bool>& exchanged) {
    for (std::size_t task = 0; task < components.tasks.size(); ++task) {
        for (const Instance* transform : stage_behind(components, task, is_transform)) {
            const auto found =
                std::ranges::find(components.nodes, transform, &std::shared_ptr<Instance>::get);
            if (exchanged[static_cast<std::size_t>(found - components.nodes.begin())]) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace ptp::engine
