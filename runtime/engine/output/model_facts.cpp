// Collects the facts component by component, and writes them as JSON.

#include "engine/output/model_facts.hpp"

#include "base/json.hpp"
#include "base/output_file.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/instance.hpp"
#include "pipeline/layers.hpp"
#include "plugin/catalog.hpp"
#include "plugin/enum_names.hpp"
#include "run/format.hpp"

#include <c10/core/ScalarType.h>
#include <c10/util/Exception.h>
#include <fmt/core.h>

#include <exception>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxListedOperations =
    200;  // of a component; a loop over steps has thousands

constexpr const char* kNoSummary = "no summary of the model for reports";

// Returns [{"port", "stream"}] of the wired ones.
Json streams_of(const std::vector<pipeline::Binding>& bindings, const pipeline::Plan& plan) {
    Json list = Json::array();
    for (const pipeline::Binding& binding : bindings) {
        if (binding.stream >= 0) {
            list.push_back({{"port", binding.name}, {"stream", plan.stream(binding.stream).name}});
        }
    }
    return list;
}

Json node_json(const pipeline::Node& node, const pipeline::Plan& plan) {
    return {
        {"name", node.name},
        {"type", node.component->name},
        {"kind", plugin::to_string(node.component->kind)},
        {"plugin", fmt::format("{} {}", node.plugin->manifest.name, node.plugin->manifest.version)},
        {"inputs", streams_of(node.inputs, plan)},
        {"outputs", streams_of(node.outputs, plan)}};
}

Json layers_json(const pipeline::Node& node, const pipeline::Plan& plan) {
    Json list = Json::array();
    for (const pipeline::LayerLine& layer : pipeline::layer_lines(plan, node)) {
        list.push_back({{"name", layer.name}, {"type", layer.type}, {"shape", layer.shape}});
    }
    return list;
}

// Adds the name of each tensor by the place of its numbers, by which operations refer to it.
Json tensors_json(Instance& instance, std::map<const void*, std::string>& names) {
    Json list = Json::array();
    for (const NamedTensor& named : instance.tensors()) {
        const bool is_dense = named.tensor.has_storage();  // a sparse one has several parts
        if (is_dense) {
            names[named.tensor.data_ptr()] = named.name;
        }
        list.push_back(
            {{"name", named.name},
             {"sizes", named.tensor.sizes().vec()},
             {"bytes", is_dense ? named.tensor.nbytes() : 0},
             {"is_parameter", named.role == PTP_PARAMETER},
             {"is_trained", named.tensor.requires_grad() || instance.thaws(named.tensor)}});
    }
    return list;
}

Json operations_json(const std::vector<OperationCost>& operations,
                     const std::map<const void*, std::string>& names) {
    Json list = Json::array();
    for (const OperationCost& operation : operations) {
        if (list.size() == kMaxListedOperations) {
            break;
        }
        Json tensors = Json::array();
        for (const void* input : operation.inputs) {
            if (const auto found = names.find(input); found != names.end()) {
                tensors.push_back(found->second);
            }
        }
        list.push_back({{"name", operation.name},
                        {"sizes", operation.sizes},
                        {"bytes", operation.bytes},
                        {"multiply_adds", operation.multiply_adds},
                        {"tensors", std::move(tensors)}});
    }
    return list;
}

}  // namespace

ModelFacts::ModelFacts(Executor& executor, ForwardObserver* next)
    : executor_(executor), next_(next) {
    executor_.show_to(this);
}

ModelFacts::~ModelFacts() {
    executor_.show_to(next_);
}

void ModelFacts::enter(const Instance& instance) noexcept {
    if (next_ != nullptr) {
        next_->enter(instance);
    }
    const plugin::Kind kind = instance.node().component->kind;
    if (kind == plugin::Kind::kModel || kind == plugin::Kind::kTransform) {
        costs_.emplace();
    }
}

void ModelFacts::leave(const Instance& instance, const Frame& frame) noexcept {
    if (costs_) {
        passes_[&instance.node()] = {costs_->operations(), costs_->multiply_adds()};
        costs_.reset();
    }
    samples_ = frame.samples().indices.defined() ? frame.samples().indices.numel() : 0;
    for (const auto* bindings : {&instance.node().inputs, &instance.node().outputs}) {
        for (const pipeline::Binding& binding : *bindings) {
            if (binding.stream >= 0 && is_tensor(frame[binding.stream].element) &&
                frame[binding.stream].tensor.defined()) {
                streams_[binding.stream] = frame[binding.stream].tensor.sizes().vec();
            }
        }
    }
    if (next_ != nullptr) {
        next_->leave(instance, frame);
    }
}

void ModelFacts::write(const std::filesystem::path& file, const pipeline::Plan& plan,
                       const Components& components, spdlog::logger& log) const {
    try {
        replace_file(file, text(plan, components));
    } catch (const c10::Error& error) {
        log.warn("{}: {}", kNoSummary, error.what_without_backtrace());
    } catch (const std::exception& error) {
        log.warn("{}: {}", kNoSummary, error.what());
    }
}

std::string ModelFacts::text(const pipeline::Plan& plan, const Components& components) const {
    Json list = Json::array();
    for (const pipeline::Node& task : plan.tasks) {
        list.push_back(node_json(task, plan));
    }
    for (const std::shared_ptr<Instance>& instance : components.nodes) {
        const pipeline::Node& node = instance->node();
        Json json = node_json(node, plan);
        std::map<const void*, std::string> names;
        json["layers"] = layers_json(node, plan);
        json["tensors"] = tensors_json(*instance, names);
        if (const auto pass = passes_.find(&node); pass != passes_.end()) {
            json["multiply_adds"] = pass->second.multiply_adds;
            json["operation_count"] = pass->second.operations.size();
            json["operations"] = operations_json(pass->second.operations, names);
        }
        list.push_back(std::move(json));
    }
    Json streams = Json::object();
    for (const auto& [stream, sizes] : streams_) {
        streams[plan.stream(stream).name] = sizes;
    }
    return text_of({{run::kFormatKey, run::kModelFormat},
                    {"samples", samples_},
                    {"components", std::move(list)},
                    {"streams", std::move(streams)}}) +
           "\n";
}

}  // namespace ptp::engine
