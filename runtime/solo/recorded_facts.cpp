// The facts that a component is created with, as a recording keeps them.

#include "solo/recorder.hpp"

#include "pipeline/sizes.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace ptp::solo {

namespace {

// Returns the shape that create() knows: -1 for unknown sizes, "B" for the number of samples.
Value shape_of(const pipeline::Plan& plan, const pipeline::Stream& stream) {
    std::vector<Value> sizes;
    for (const pipeline::Dimension& dimension : stream.shape) {
        if (dimension.symbol == pipeline::kBatchSymbol) {
            sizes.emplace_back("B");
        } else {
            sizes.emplace_back(pipeline::size_of(plan, dimension).value_or(-1));
        }
    }
    return Value::list(std::move(sizes));
}

Value streams_of(const pipeline::Plan& plan, const pipeline::Node& node,
                 const std::vector<pipeline::Binding>& bindings) {
    std::vector<Value> all;
    for (const pipeline::Binding& binding : bindings) {
        if (binding.stream < 0) {
            continue;
        }
        const auto& stream = plan.streams[static_cast<std::size_t>(binding.stream)];
        const plugin::Port& port = node.component->ports[static_cast<std::size_t>(binding.port)];
        Value made = Value::table({{"port", port.name},
                                   {"stream", stream.name},
                                   {"element", static_cast<std::int64_t>(stream.element)},
                                   {"is_named", port.streams_setting.empty()}});
        if (stream.has_shape) {
            made.set("shape", shape_of(plan, stream));
        }
        all.push_back(std::move(made));
    }
    return Value::list(std::move(all));
}

Value settings_of(const pipeline::Node& node) {
    Value settings = Value::table();
    for (std::size_t i = 0; i < node.settings.size(); ++i) {
        if (node.settings[i]) {
            settings.set(node.component->settings[i].name, *node.settings[i]);
        }
    }
    return settings;
}

// Adds the names of globals, the constants read instead, and all values that it can read.
void add_globals(const ComponentContext& context, const pipeline::Node& node, Value& record) {
    Value names = Value::table();
    Value values = Value::table();
    for (const auto& [declared, name] : node.globals) {
        names.set(declared, name);
    }
    for (std::size_t i = 0; i < node.component->globals.size(); ++i) {
        if (node.component->globals[i].is_written() || !node.has_global[i]) {
            continue;
        }
        for (const std::string& declared : engine::declared_names(node, i)) {
            const auto named = node.globals.find(declared);
            const std::string& name = named == node.globals.end() ? declared : named->second;
            if (const ptp_data* value = context.globals.find(name)) {
                values.set(name, engine::to_value(*value));
            }
        }
    }
    Value constants = Value::table();
    for (const auto& [declared, value] : node.constants) {
        constants.set(declared, value);
    }
    record.set("global_names", std::move(names));
    record.set("constants", std::move(constants));
    record.set("globals", std::move(values));
}

Value sizes_of(const pipeline::Plan& plan, const pipeline::Node& node) {
    Value sizes = Value::table();
    for (const auto& [name, symbol] : node.symbols) {
        if (const auto size = plan.symbols[static_cast<std::size_t>(symbol)].size) {
            sizes.set(name, *size);
        }
    }
    return sizes;
}

}  // namespace

at::Tensor recorded_memory(const void* memory, std::uint64_t count, at::ScalarType type) {
    at::Tensor made = at::empty({static_cast<std::int64_t>(count)}, at::TensorOptions(type));
    if (count > 0) {
        std::memcpy(made.data_ptr(), memory, made.nbytes());
    }
    return made;
}

Value recorded_facts(const ComponentContext& context, const pipeline::Node& node) {
    Value record = Value::table();
    record.set("type", node.component->name);
    record.set("kind", static_cast<std::int64_t>(node.component->kind));
    record.set("name", node.name);
    record.set("path", node.path);
    record.set("section", node.section);
    record.set("plugin", node.plugin->manifest.name);
    record.set("version", node.plugin->manifest.version);
    record.set("run", context.run_folder);
    record.set("device", context.device.str());
    if (!context.device.is_cpu() && !at::globalContext().deterministicAlgorithms()) {
        record.set("deterministic", false);
    }
    record.set("seed", static_cast<std::int64_t>(context.seed));
    record.set("threads", at::get_num_threads());
    record.set("settings", settings_of(node));
    add_globals(context, node, record);
    record.set("sizes", sizes_of(context.plan, node));
    record.set("inputs", streams_of(context.plan, node, node.inputs));
    record.set("outputs", streams_of(context.plan, node, node.outputs));
    return record;
}

}  // namespace ptp::solo
