// Creates all components, freezes what the experiment freezes, and checks the sizes that components
// published while they were created.

#include "engine/component/components.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "engine/component/component_error.hpp"
#include "engine/component/plugins.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/pass_through.hpp"
#include "pipeline/sizes.hpp"

#include <ptp/ext/parameters.h>

#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

// Compares the streams that a component was created with to the streams as they are now.
void compare(const pipeline::Plan& plan, const pipeline::Node& node,
             const std::vector<pipeline::Binding>& bindings, std::string& problems) {
    for (const pipeline::Binding& binding : bindings) {
        if (binding.stream < 0 || !binding.has_shape) {
            continue;
        }
        const auto& stream = plan.stream(binding.stream);
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
    for (const pipeline::Node& node : plan.nodes) {
        const auto problem =
            node.passes_through ? pipeline::passing_problem(plan, node) : std::nullopt;
        if (problem) {
            throw WithFix<RunError>(kConfigurationError, {fmt::format("{}{}.pass_through: {}",
                                                                      place_text(node.pass_place),
                                                                      node.path, problem->reason),
                                                          problem->fix});
        }
    }
    if (!problems.empty()) {
        throw RunError(kConfigurationError, problems);
    }
}

// Returns whether the pattern names the tensor, or a layer that contains it.
bool names(const std::string& pattern, const std::string& tensor) {
    return fnmatch(pattern.c_str(), tensor.c_str(), 0) == 0 ||
           fnmatch((pattern + ".*").c_str(), tensor.c_str(), 0) == 0;
}

// Returns the names of parameters and of the layers that contain them.
std::vector<std::string> names_to_freeze(const std::vector<std::string>& parameters) {
    std::set<std::string> known;
    for (const std::string& name : parameters) {
        for (std::size_t dot = name.find('.'); dot != std::string::npos;
             dot = name.find('.', dot + 1)) {
            known.insert(name.substr(0, dot));
        }
    }
    known.insert(parameters.begin(), parameters.end());
    return {known.begin(), known.end()};
}

std::string unknown_layers(const pipeline::Node& node, const std::vector<bool>& is_used,
                           const std::vector<std::string>& parameters) {
    std::string problems;
    for (std::size_t i = 0; i < is_used.size(); ++i) {
        if (!is_used[i]) {
            problems +=
                fmt::format("{}{}{}.freeze: {} has no parameter or layer '{}'{}",
                            problems.empty() ? "" : "\n", place_text(node.freeze_place), node.path,
                            pipeline::node_text(node), node.frozen_layers[i],
                            hint_of_layer(node.frozen_layers[i], names_to_freeze(parameters)));
        }
    }
    return problems;
}

// Freezes the component, or the layers that it names: everything else in it continues as in
// training. Returns errors about names that it does not have.
std::string freeze(Instance& instance) {
    const pipeline::Node& node = instance.node();
    std::vector<bool> is_used(node.frozen_layers.size(), false);
    std::vector<std::string> parameters;
    std::vector<at::Tensor> frozen;
    std::size_t trained_count = 0;
    for (const NamedTensor& named : instance.tensors()) {
        if (named.role != PTP_PARAMETER) {
            continue;
        }
        parameters.push_back(named.name);
        bool is_named = node.is_frozen;
        for (std::size_t i = 0; i < is_used.size(); ++i) {
            if (names(node.frozen_layers[i], named.name)) {
                is_used[i] = true;
                is_named = true;
            }
        }
        trained_count += is_named ? 1 : 0;
        if (is_named != node.freezes_others && named.tensor.requires_grad()) {
            frozen.push_back(named.tensor);
        }
    }
    std::string problems = unknown_layers(node, is_used, parameters);
    if (problems.empty() && node.freezes_others && trained_count == parameters.size()) {
        throw WithFix<RunError>(
            kConfigurationError,
            {fmt::format("{}{}.freeze: `except` names all layers of {}, so that nothing is frozen",
                         place_text(node.freeze_place), node.path, pipeline::node_text(node)),
             "leave freeze out, or name fewer layers"});
    }
    instance.freeze(std::move(frozen));
    if (node.is_frozen) {
        instance.set_training(false);
    }
    return problems;
}

// Requires that the other's streams be like those of `shared`, for which the component was created.
void require_alike(const pipeline::Plan& plan, const pipeline::Node& node,
                   const std::vector<pipeline::Binding>& own, const pipeline::Node& shared,
                   const std::vector<pipeline::Binding>& of_shared) {
    const auto text = [&](const pipeline::Binding& binding) {
        return binding.stream < 0 ? "absent"
                                  : pipeline::shape_text(plan, binding.shape, binding.has_shape);
    };
    for (std::size_t i = 0; i < own.size(); ++i) {
        const std::vector<pipeline::Dimension>& left = own[i].shape;
        const std::vector<pipeline::Dimension>& right = of_shared[i].shape;
        bool differs = (own[i].stream < 0) != (of_shared[i].stream < 0) ||
                       own[i].has_shape != of_shared[i].has_shape || left.size() != right.size();
        for (std::size_t k = 0; !differs && k < left.size(); ++k) {
            differs = pipeline::size_of(plan, left[k]) != pipeline::size_of(plan, right[k]);
        }
        if (differs) {
            throw RunError(
                kConfigurationError,
                fmt::format("{}{}.share: '{}' is {} here and {} in {}; a shared model has "
                            "the same sizes in both",
                            place_text(node.place), node.path, own[i].name, text(own[i]),
                            text(of_shared[i]), pipeline::node_text(shared)));
        }
    }
}

// Creates the tasks. What is wrong with a setting in one section is often wrong in the others, so
// errors in settings are reported together.
std::vector<std::shared_ptr<Instance>> create_tasks(ComponentContext& component_context,
                                                    const Descriptors& descriptors) {
    std::vector<std::shared_ptr<Instance>> tasks;
    std::vector<std::string> problems;
    for (const pipeline::Node& task : component_context.plan.tasks) {
        try {
            tasks.push_back(
                std::make_shared<Instance>(component_context, task, descriptors.component(task)));
        } catch (const WrongSetting& error) {
            problems.emplace_back(error.what());
        } catch (const RunError&) {
            if (problems.empty()) {
                throw;
            }  // otherwise it may follow from the first, as a missing global does
        }
    }
    if (!problems.empty()) {
        throw RunError(kConfigurationError, join(problems, "\n"));
    }
    return tasks;
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

void Components::begin_epoch(std::uint64_t epoch) const {
    for (const std::shared_ptr<Instance>& node : nodes) {
        const auto until = node->node().frozen_until;
        if (until) {
            node->set_frozen(epoch < static_cast<std::uint64_t>(*until));
        }
    }
}

void Components::set_training(bool is_training) const {
    for (const std::shared_ptr<Instance>& node : nodes) {
        node->set_training(is_training);
    }
}

std::shared_ptr<Instance> create_node(ComponentContext& component_context,
                                      const pipeline::Node& node, const ptp_component_info& info,
                                      std::string* unknown_layers) {
    auto made = std::make_shared<Instance>(component_context, node, info);
    if (node.is_frozen || !node.frozen_layers.empty()) {
        const std::string problems = freeze(*made);
        if (!problems.empty() && unknown_layers == nullptr) {
            throw RunError(kConfigurationError, problems);
        }
        if (!problems.empty()) {
            *unknown_layers += (unknown_layers->empty() ? "" : "\n") + problems;
        }
    }
    return made;
}

std::shared_ptr<Instance> share_node(ComponentContext& component_context,
                                     const pipeline::Node& node, const Components& created) {
    const auto shared = std::ranges::find_if(created.nodes, [&](const auto& other) {
        return other != nullptr && other->node().name == node.share;
    });
    const pipeline::Node& other = (*shared)->node();
    require_alike(component_context.plan, node, node.inputs, other, other.inputs);
    require_alike(component_context.plan, node, node.outputs, other, other.outputs);
    return std::make_shared<Instance>(component_context, node, *shared);
}

Components create_components(ComponentContext& component_context, const Descriptors& descriptors) {
    Components made;
    made.tasks = create_tasks(component_context, descriptors);
    for (const pipeline::Node& node : component_context.plan.nodes) {
        made.nodes.push_back(node.share.empty()
                                 ? create_node(component_context, node, descriptors.component(node),
                                               &made.unknown_layers)
                                 : nullptr);
    }
    for (std::size_t i = 0; i < made.nodes.size(); ++i) {
        const pipeline::Node& node = component_context.plan.nodes[i];
        if (!node.share.empty()) {
            made.nodes[i] = share_node(component_context, node, made);
        }
    }
    finish_handshake(component_context.plan);
    return made;
}

namespace {

// The words whose indices a component writes.
struct IndexedWords {
    std::size_t count = 0;  // 0: not known
    std::string global;     // with that number; "": none is named
};

IndexedWords indexed_words(const pipeline::Node& indexer, const Value& globals) {
    const auto named = indexer.globals.find("vocabulary_size");
    const Value* const size =
        named == indexer.globals.end() ? nullptr : globals.find(named->second);
    if (size != nullptr && size->is_integer() && size->as_integer() > 0) {
        return {static_cast<std::size_t>(size->as_integer()), named->second};
    }
    const std::string vocabulary = indexer.global_for(plugin::Purpose::kVocabulary);
    const Value* const words = vocabulary.empty() ? nullptr : globals.find(vocabulary);
    return {words != nullptr && words->is_table() ? words->members().size() : 0, ""};
}

}  // namespace

void warn_of_small_tables(const ComponentContext& component_context) {
    const pipeline::Plan& plan = component_context.plan;
    const Value globals = component_context.globals.values();
    for (const pipeline::Node& node : plan.nodes) {
        for (const pipeline::Node& layer : node.layers) {
            const Value* const rows = pipeline::checked_settings(layer).find("num_embeddings");
            const int inner = layer.inputs.empty() ? -1 : layer.inputs.front().stream;
            const auto is_input =
                inner >= 0 && static_cast<std::size_t>(inner) < node.inputs.size();
            const int stream = is_input ? node.inputs[static_cast<std::size_t>(inner)].stream : -1;
            const int producer = stream < 0 ? -1 : plan.stream(stream).producer;
            if (rows == nullptr || !rows->is_integer() || producer < 0) {
                continue;
            }
            const pipeline::Node& indexer = plan.node(producer);
            const auto [count, global] = indexed_words(indexer, globals);
            if (rows->as_integer() >= static_cast<std::int64_t>(count)) {
                continue;
            }
            const std::string name = global.empty() ? "word_count" : global;
            component_context.log->warn(Explanation{
                fmt::format(
                    "{}{}.num_embeddings = {}, and {} writes the indices of {}{} words: the "
                    "first of those beyond ends the run",
                    place_text(layer.place), layer.path, rows->as_integer(),
                    pipeline::node_text(indexer), global.empty() ? "at least " : "", count),
                fmt::format("{}set {}.num_embeddings = \"{}\"",
                            global.empty() ? fmt::format("write globals = {{ vocabulary_size = "
                                                         "\"{}\" }} in {} and ",
                                                         name, indexer.path)
                                           : "",
                            layer.path, name)}
                                            .text());
        }
    }
}

void require_known_layers(const Components& components) {
    if (!components.unknown_layers.empty()) {
        throw RunError(kConfigurationError, components.unknown_layers);
    }
}

Buffers::Buffers(const Components& components) {
    for (const std::shared_ptr<Instance>& node : components.nodes) {
        for (NamedTensor& named : node->tensors()) {
            if (named.role != PTP_PARAMETER) {
                buffers_.push_back(std::move(named.tensor));
            }
        }
    }
}

std::vector<at::Tensor> Buffers::copies() const {
    return transformed(buffers_, [](const at::Tensor& buffer) { return buffer.detach().clone(); });
}

void Buffers::restore(const std::vector<at::Tensor>& copies) const {
    const c10::AutoGradMode without_gradients(false);
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        at::Tensor(buffers_[i]).copy_(copies[i]);
    }
}

}  // namespace ptp::engine
