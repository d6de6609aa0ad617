// The facts that a component is created with, as a recording keeps them, and the plan that they
// make for a build of it that may be another one.

#include "solo/recorder.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "pipeline/sizes.hpp"
#include "run/keys.hpp"
#include "solo/replayed_component.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <fmt/core.h>
#include <algorithm>
#include <cstring>
#include <set>
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

// Returns the given settings by name.
Value table_of_settings(const pipeline::Node& node) {
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
    record.set("settings", table_of_settings(node));
    add_globals(context, node, record);
    record.set("sizes", sizes_of(context.plan, node));
    record.set("inputs", streams_of(context.plan, node, node.inputs));
    record.set("outputs", streams_of(context.plan, node, node.outputs));
    return record;
}

namespace {

std::string text_in(const Value& record, const char* key) {
    const Value* const value = record.find(key);
    return value != nullptr && value->is_string() ? value->as_string() : "";
}

[[noreturn]] void refuse_plugin(const Recording& recording, const plugin::CatalogEntry& plugin,
                                const std::string& problem) {
    throw RunError(kPluginError, fmt::format("{}: cannot replay {}: {}", plugin.path.string(),
                                             text_in(recording.record, "type"), problem));
}

const plugin::Component& component_of(const Recording& recording,
                                      const plugin::CatalogEntry& plugin) {
    const std::string type = text_in(recording.record, "type");
    std::vector<std::string> known;
    for (const plugin::Component& component : plugin.manifest.components) {
        if (component.name != type) {
            known.push_back(component.name);
            continue;
        }
        if (static_cast<std::int64_t>(component.kind) !=
            recording.record.find("kind")->as_integer()) {
            refuse_plugin(recording, plugin, "it was recorded as a component of another kind");
        }
        return component;
    }
    refuse_plugin(recording, plugin,
                  fmt::format("the plugin '{}' has no component of this type{}",
                              plugin.manifest.name, hint(type, known)));
}

// Returns "B, 3, *", as a port declares it.
std::string shape_text_of(const Value& shape) {
    std::vector<std::string> dimensions;
    for (const Value& size : shape.items()) {
        if (!size.is_integer()) {
            dimensions.emplace_back("B");
        } else if (size.as_integer() < 0) {
            dimensions.emplace_back("*");
        } else {
            dimensions.push_back(std::to_string(size.as_integer()));
        }
    }
    return join(dimensions, ", ");
}

plugin::Element element_of(const Value& stream) {
    const std::int64_t element = run::integer_in(stream, "element");
    if (element < PTP_FLOAT || element > PTP_TENSOR_LIST) {
        throw RecordingError(
            fmt::format("has a stream of the type {}, which "
                        "does not exist",
                        element));
    }
    return static_cast<plugin::Element>(element);
}

Feeder recorded_feeder(const Value& record) {
    Feeder feeder;
    std::set<std::string> written = {"indices"};
    for (const Value& input : record.find("inputs")->items()) {
        const std::string stream = text_in(input, "stream");
        const plugin::Element element = element_of(input);
        const Value* const shape = input.find("shape");
        if (written.insert(stream).second) {
            feeder.write(stream, element, shape == nullptr ? "..." : shape_text_of(*shape));
        }
    }
    for (const Member& published : record.find("globals")->members()) {
        feeder.publish(published.key, published.value.is_integer()
                                          ? std::to_string(published.value.as_integer())
                                          : "");
    }
    return feeder;
}

void add_renaming(std::vector<experiment::Renaming>& names, const std::string& from,
                  const std::string& to) {
    experiment::Renaming renaming;
    renaming.from = from;
    renaming.to = to;
    names.push_back(std::move(renaming));
}

experiment::Names recorded_names(const Value& record, const plugin::Component& component) {
    experiment::Names names;
    for (const char* list : {"inputs", "outputs"}) {
        for (const Value& port : record.find(list)->items()) {
            const Value* const is_named = port.find("is_named");
            const std::string from = text_in(port, "port");
            const std::string to = text_in(port, "stream");
            if (is_named != nullptr && is_named->is_bool() && is_named->as_bool() && from != to) {
                add_renaming(names.streams, from, to);
            }
        }
    }
    for (const Member& name : record.find("global_names")->members()) {
        const auto declared = std::ranges::find(component.globals, name.key, &plugin::Global::name);
        const bool is_only_if_named =
            declared != component.globals.end() && declared->is_only_if_named();
        if (name.value.is_string() && (name.value.as_string() != name.key || is_only_if_named)) {
            add_renaming(names.globals, name.key, name.value.as_string());
        }
    }
    for (const Member& constant : record.find("constants")->members()) {
        add_renaming(names.globals, constant.key, "");
        names.globals.back().constant = constant.value;
    }
    return names;
}

}  // namespace

std::unique_ptr<LonePlan> recorded_plan(const Recording& recording,
                                        const plugin::CatalogEntry& plugin,
                                        const std::filesystem::path& home) {
    const Value& record = recording.record;
    LoneEntry lone{plugin, component_of(recording, plugin), {}, home};
    lone.entry.name = text_in(record, "name");
    lone.entry.path = text_in(record, "path");
    lone.entry.type = lone.component.name;
    lone.entry.names = recorded_names(record, lone.component);
    lone.entry.settings = *record.find("settings");
    const std::string section = text_in(record, "section");
    auto made = std::make_unique<LonePlan>(
        lone, LonePlan::Options{.section = section.empty() ? "training" : section,
                                .seed = record.find("seed")->as_integer()});
    made->globals = record.find("globals")->members();
    try {
        made->assemble(recorded_feeder(record));
    } catch (const NoPlan& error) {
        refuse_plugin(recording, plugin,
                      std::string("it does not fit the recording:\n") + error.what());
    }
    pipeline::Plan& plan = made->plan;
    for (const Member& size : record.find("sizes")->members()) {
        const auto symbol = made->node().symbols.find(size.key);
        if (symbol == made->node().symbols.end() || !size.value.is_integer()) {
            continue;
        }
        const auto& known = plan.symbols[static_cast<std::size_t>(symbol->second)].size;
        const std::int64_t recorded = size.value.as_integer();
        if (known && *known != recorded) {
            refuse_plugin(
                recording, plugin,
                fmt::format("its size '{}' was {}, and is {}", size.key, recorded, *known));
        }
        static_cast<void>(pipeline::learn_size(plan, symbol->second, recorded, "recorded"));
    }
    return made;
}

}  // namespace ptp::solo
