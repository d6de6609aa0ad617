#include "support/engine_plan.hpp"

#include <ptp/ext/task.h>

#include <ATen/ops/arange.h>

#include <string_view>

namespace ptp::test {

ptp_component_info idle_component() {
    ptp_component_info info{};
    info.struct_size = sizeof(info);
    info.kind = PTP_TRANSFORM;
    info.name = "Idle";
    info.summary = "Does nothing";
    info.create = [](const ptp_host*, const ptp_setup*, void** out) -> ptp_status {
        static int nobody = 0;
        *out = &nobody;
        return PTP_OK;
    };
    info.destroy = [](void*) {};
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const*) -> ptp_status { return PTP_OK; };
    info.extension = [](const char*) -> const void* { return nullptr; };
    return info;
}

ptp_component_info five_samples() {
    ptp_component_info info = idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_task functions = {
            sizeof(ptp_task), 0,
            [](void*, std::int64_t* out) -> ptp_status {
                *out = 5;
                return PTP_OK;
            },
            [](void*, const ptp_fetch* wanted, ptp_value* const* outputs) -> ptp_status {
                tensor_in(outputs[0]) = at::arange(static_cast<std::int64_t>(wanted->count));
                return PTP_OK;
            }};
        return std::string_view(id) == PTP_EXTENSION_TASK ? &functions : nullptr;
    };
    return info;
}

EnginePlan::EnginePlan()
    : component_context{
          plan,
          globals,
          std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>()),
          "/nowhere",
          at::kCPU,
          1} {
    entry_.manifest.name = "test_plugin";
    entry_.manifest.version = "1.0";
    plan.symbols = {{"B", std::nullopt, ""}, {"t", std::nullopt, ""}};
}

int EnginePlan::add_stream(const std::string& name, plugin::Element element,
                           std::initializer_list<std::int64_t> shape) {
    pipeline::Stream stream;
    stream.name = name;
    stream.element = element;
    for (const std::int64_t size : shape) {
        pipeline::Dimension dimension;
        if (size >= 0) {
            dimension.size = size;
        } else {
            dimension.symbol = size == -1 ? pipeline::kBatchSymbol : 1;
            dimension.name = size == -1 ? "B" : "t";
        }
        stream.shape.push_back(dimension);
    }
    plan.streams.push_back(stream);
    return static_cast<int>(plan.streams.size()) - 1;
}

pipeline::Binding EnginePlan::make_binding(plugin::Component& component, const PortToMake& port,
                                           plugin::Direction direction) {
    plugin::Port declared;
    declared.name = port.name;
    declared.direction = direction;
    declared.is_loss = port.is_loss;
    pipeline::Binding binding;
    binding.port = static_cast<int>(component.ports.size());
    binding.name = port.name;
    binding.stream = port.stream;
    binding.has_shape = port.stream >= 0;
    if (port.stream >= 0) {
        const pipeline::Stream& stream = plan.streams[static_cast<std::size_t>(port.stream)];
        declared.element = stream.element;
        binding.shape = stream.shape;
    }
    component.ports.push_back(declared);
    return binding;
}

pipeline::Node EnginePlan::make_node(const std::string& name, plugin::Kind kind,
                                     const ptp_component_info& info,
                                     const std::vector<PortToMake>& inputs,
                                     const std::vector<PortToMake>& outputs) {
    plugin::Component& component = components_.emplace_back();
    component.kind = kind;
    component.name = info.name;
    pipeline::Node node;
    node.name = name;
    node.path = "pipeline." + name;
    node.plugin = &entry_;
    node.component = &component;
    for (const PortToMake& port : inputs) {
        node.inputs.push_back(make_binding(component, port, plugin::Direction::kInput));
    }
    for (const PortToMake& port : outputs) {
        node.outputs.push_back(make_binding(component, port, plugin::Direction::kOutput));
    }
    infos_[node.path] = info;
    return node;
}

pipeline::Node& EnginePlan::add_node(const std::string& name, plugin::Kind kind,
                                     const ptp_component_info& info,
                                     const std::vector<PortToMake>& inputs,
                                     const std::vector<PortToMake>& outputs) {
    return plan.nodes.emplace_back(make_node(name, kind, info, inputs, outputs));
}

pipeline::Node& EnginePlan::add_task(const ptp_component_info& info,
                                     const std::vector<PortToMake>& outputs) {
    pipeline::Node node = make_node("training", plugin::Kind::kTask, info, {}, outputs);
    node.section = "training";
    return plan.tasks.emplace_back(std::move(node));
}

void EnginePlan::add_statistic(pipeline::Node& node, const plugin::Statistic& statistic) {
    for (plugin::Component& component : components_) {
        if (&component == node.component) {
            component.statistics.push_back(statistic);
            node.has_statistic.push_back(true);
        }
    }
}

}  // namespace ptp::test
