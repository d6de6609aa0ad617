#include "engine/recording/recorded_pipeline.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/sizes.hpp"
#include "run/keys.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

constexpr const char* kRecordedTask = "RecordedTask";

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

plugin::CatalogEntry recorded_task(const Value& record) {
    plugin::Component task;
    task.kind = plugin::Kind::kTask;
    task.name = kRecordedTask;
    task.summary = "Recorded";
    std::set<std::string> written = {"indices"};
    for (const Value& input : record.find("inputs")->items()) {
        plugin::Port port;
        port.direction = plugin::Direction::kOutput;
        port.name = text_in(input, "stream");
        port.element = element_of(input);
        const bool is_text =
            port.element == plugin::Element::kString || port.element == plugin::Element::kTokens;
        const Value* const shape = input.find("shape");
        port.shape = is_text ? "B" : shape == nullptr ? "..." : shape_text_of(*shape);
        port.help = "Recorded";
        if (written.insert(port.name).second) {
            task.ports.push_back(std::move(port));
        }
    }
    for (const Member& published : record.find("globals")->members()) {
        plugin::Global global;
        global.access = plugin::GlobalAccess::kWrite;
        global.name = published.key;
        global.help = "Recorded";
        if (published.value.is_integer()) {
            global.value = std::to_string(published.value.as_integer());
        }
        task.globals.push_back(std::move(global));
    }
    plugin::CatalogEntry entry;
    entry.manifest.name = "recorded";
    entry.manifest.components.push_back(std::move(task));
    return entry;
}

void add_renaming(std::vector<experiment::Renaming>& names, const std::string& from,
                  const std::string& to) {
    experiment::Renaming renaming;
    renaming.from = from;
    renaming.to = to;
    names.push_back(std::move(renaming));
}

experiment::Names names_of(const Value& record, const plugin::Component& component) {
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

experiment::Experiment recorded_experiment(const Value& record,
                                           const plugin::Component& component) {
    experiment::Experiment experiment;
    experiment.name = "replay";
    experiment.seed = record.find("seed")->as_integer();
    const std::string section = text_in(record, "section");
    experiment.training.name = section.empty() ? "training" : section;
    experiment::TaskEntry& task = experiment.training.task;
    task.batch_size = 1;
    if (component.kind == plugin::Kind::kTask) {
        task.path = text_in(record, "path");
        task.type = component.name;
        task.names = names_of(record, component);
        task.settings = *record.find("settings");
        return experiment;
    }
    task.path = "training.task";
    task.type = kRecordedTask;
    experiment::ComponentEntry entry;
    entry.name = text_in(record, "name");
    entry.path = text_in(record, "path");
    entry.type = component.name;
    entry.names = names_of(record, component);
    entry.settings = *record.find("settings");
    experiment.pipeline.components.push_back(std::move(entry));
    return experiment;
}

}  // namespace

RecordedPipeline::RecordedPipeline(const Recording& recording, const plugin::CatalogEntry& plugin,
                                   const std::filesystem::path& home) {
    const plugin::Component& component = component_of(recording, plugin);
    catalog.plugins.push_back(plugin);
    if (component.kind != plugin::Kind::kTask) {
        catalog.plugins.push_back(recorded_task(recording.record));
    }
    experiment = recorded_experiment(recording.record, component);
    Diagnostics problems;
    auto assembled =
        pipeline::assemble(experiment, catalog, home, problems, pipeline::NeededFiles::kIgnored,
                           {.processed = {experiment.training.name}});
    if (!assembled) {
        refuse_plugin(recording, plugin, "it does not fit the recording:\n" + problems.text());
    }
    plan = std::move(*assembled);
    for (const Member& size : recording.record.find("sizes")->members()) {
        const auto symbol = node().symbols.find(size.key);
        if (symbol == node().symbols.end() || !size.value.is_integer()) {
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
}

}  // namespace ptp::engine
