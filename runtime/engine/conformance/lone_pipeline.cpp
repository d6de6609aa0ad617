#include "engine/conformance/lone_pipeline.hpp"

#include "config/experiment.hpp"
#include "engine/conformance/made_up_settings.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/sizes.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace ptp::engine {

namespace {

using plugin::Component;

constexpr const char* kSource = "MadeUpTask";
constexpr const char* kSection = "training";

[[noreturn]] void give_up(const config::Diagnostics& problems) {
    throw std::runtime_error(problems.text());
}

config::Experiment experiment_with(const Component& component) {
    config::Experiment experiment;
    experiment.name = "check";
    experiment.seed = 1;
    experiment.training.name = kSection;
    experiment.training.task.path = "training.task";
    experiment.training.task.type = kSource;
    experiment.training.task.batch_size = 4;
    config::Value settings = made_up_settings(component.settings);
    if (component.kind == plugin::Kind::task) {
        experiment.training.task.type = component.name;
        experiment.training.task.settings = std::move(settings);
        return experiment;
    }
    config::ComponentEntry entry;
    entry.name = "component";
    entry.path = "pipeline.component";
    entry.type = component.name;
    entry.settings = std::move(settings);
    experiment.pipeline.components.push_back(std::move(entry));
    return experiment;
}

// In the pipeline, of those that the component reads.
std::set<std::string> names_of_globals(const pipeline::Node& node) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < node.component->globals.size(); ++i) {
        const plugin::Global& global = node.component->globals[i];
        for (const auto& [declared, name] : node.globals) {
            if (global.access == plugin::GlobalAccess::read && node.has_global[i] &&
                (declared == global.name || global.name.starts_with('$'))) {
                names.insert(name);
            }
        }
    }
    for (const plugin::Global& global : node.component->globals) {
        if (global.access == plugin::GlobalAccess::write) {
            names.erase(global.name);
        }
    }
    return names;
}

// A task that writes what the component reads.
plugin::CatalogEntry source_for(const pipeline::Draft& draft,
                                const std::set<std::string>& globals) {
    Component source;
    source.kind = plugin::Kind::task;
    source.name = kSource;
    source.summary = "Made up";
    std::set<std::string> written;
    for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
        const std::string& stream = draft.inputs[i].stream;
        if (stream.empty() || stream == "indices" || !written.insert(stream).second) {
            continue;
        }
        plugin::Port port;
        port.direction = plugin::Direction::output;
        port.element = draft.port(draft.node.inputs[i]).element;
        if (port.element == plugin::Element::any) {
            port.element = plugin::Element::floating;
        }
        port.name = stream;
        const bool is_text =
            port.element == plugin::Element::string || port.element == plugin::Element::tokens;
        port.shape = is_text ? "B" : "...";
        port.help = "Made up";
        source.ports.push_back(std::move(port));
    }
    for (const std::string& name : globals) {
        plugin::Global global;
        global.access = plugin::GlobalAccess::write;
        global.name = name;
        global.help = "Made up";
        source.globals.push_back(std::move(global));
    }
    plugin::CatalogEntry entry;
    entry.manifest.name = "made_up";
    entry.manifest.components.push_back(std::move(source));
    return entry;
}

// The symbols of sizes that the component itself will publish.
std::set<int> published_symbols(const pipeline::Plan& plan, const pipeline::Node& node) {
    std::set<int> symbols;
    for (const plugin::Global& global : node.component->globals) {
        const auto name = node.globals.find(global.name);
        const auto symbol =
            plan.global_symbols.find(name == node.globals.end() ? global.name : name->second);
        if (global.is_written() && symbol != plan.global_symbols.end()) {
            symbols.insert(symbol->second);
        }
    }
    return symbols;
}

bool is_of_an_image(const std::string& name) {
    return std::ranges::any_of(std::vector{"height", "width", "side"}, [&](const char* word) {
        return name.find(word) != std::string::npos;
    });
}

std::int64_t size_for(const std::string& name, const Guess& guess) {
    constexpr std::int64_t kColors = 3;
    if (is_of_an_image(name)) {
        return guess.side;
    }
    return name.find("channel") != std::string::npos ? kColors : guess.size;
}

}  // namespace

LonePipeline::LonePipeline(const plugin::CatalogEntry& entry, const Component& component,
                           const Guess& guess) {
    catalog.plugins.push_back(entry);
    const config::Experiment experiment = experiment_with(component);
    config::Diagnostics problems;
    std::set<std::string> names;
    if (component.kind != plugin::Kind::task) {
        const auto draft = pipeline::draft_component(experiment.pipeline.components.front(),
                                                     experiment.pipeline, {catalog, "", problems});
        if (!draft || !problems.ok()) {
            give_up(problems);
        }
        names = names_of_globals(draft->node);
        plugin::CatalogEntry source = source_for(*draft, names);
        catalog.plugins.push_back(std::move(source));
    }
    auto assembled = pipeline::assemble(experiment, catalog, "", problems,
                                        pipeline::NeededFiles::ignored, {kSection});
    if (!assembled) {
        give_up(problems);
    }
    plan = std::move(*assembled);
    const std::set<int> published = published_symbols(plan, node());
    for (std::size_t i = 1; i < plan.symbols.size(); ++i) {
        if (!plan.symbols[i].size && !published.contains(static_cast<int>(i))) {
            plan.symbols[i].size = size_for(plan.symbols[i].name, guess);
            plan.symbols[i].origin = "made up";
        }
    }
    for (const std::string& name : names) {
        const auto symbol = plan.global_symbols.find(name);
        const bool is_size = symbol != plan.global_symbols.end();
        globals.push_back(
            {name,
             {},
             is_size ? config::Value(*plan.symbols[static_cast<std::size_t>(symbol->second)].size)
                     : guess.constant});
    }
}

}  // namespace ptp::engine
