// Compares newer builds with the running ones, first by their manifests, then by the pipelines that
// result.

#include "engine/swap/next_pipeline.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "engine/swap/swap_error.hpp"
#include "engine/train/stages.hpp"
#include "pipeline/assemble.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/compare.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ptp::engine {

namespace {

using Nodes = std::vector<pipeline::Node>;

[[noreturn]] void refuse_pipeline(const std::string& reason, const std::string& fix) {
    throw SwapError(SwapPhase::kInspect, {reason, fix});
}

const plugin::Staged* file_of(const std::vector<plugin::Staged>& files, const std::string& plugin) {
    const auto file = std::ranges::find_if(
        files, [&](const auto& staged) { return staged.copy.manifest.name == plugin; });
    return file == files.end() ? nullptr : &*file;
}

// Returns one entry for each plugin in use, the new one if there is one.
plugin::Catalog next_catalog(const pipeline::Plan& plan, const std::vector<plugin::Staged>& files) {
    std::set<std::string> used;
    plugin::Catalog catalog;
    for (const Nodes* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            const std::string& name = node.plugin->manifest.name;
            if (used.insert(name).second) {
                const plugin::Staged* file = file_of(files, name);
                catalog.plugins.push_back(file == nullptr ? *node.plugin : file->copy);
            }
        }
    }
    for (const plugin::Staged& file : files) {
        const std::string& name = file.copy.manifest.name;
        if (const plugin::Staged* first = file_of(files, name); first != &file) {
            refuse_pipeline(fmt::format("{} and {} are both the plugin '{}'",
                                        first->source.string(), file.source.string(), name),
                            "name one of them");
        }
        if (!used.contains(name)) {
            refuse_pipeline(fmt::format("the plugin '{}' is not one of this run", name),
                            fmt::format("name newer builds of {}", join(used, ", ")));
        }
    }
    return catalog;
}

// Returns for each node whether its plugin is new; refuses nodes that the experiment does not
// allow.
std::vector<bool> new_ones(const Nodes& nodes, const std::vector<plugin::Staged>& files,
                           const experiment::Swapping& swapping) {
    std::vector<bool> are_new;
    for (const pipeline::Node& node : nodes) {
        const plugin::Staged* file = file_of(files, node.plugin->manifest.name);
        are_new.push_back(file != nullptr);
        if (file != nullptr && !swapping.allows(node.name)) {
            refuse_pipeline(
                fmt::format("the plugin '{}' holds {}, which swap.components does not list",
                            node.plugin->manifest.name, pipeline::node_text(node)),
                fmt::format(
                    "to take it, continue the run with ptprun resume --set swap.components=LIST and '{}' in the list",
                    node.name));
        }
    }
    return are_new;
}

// Compares one component. Removes settings that the new one does not have, if they have their old
// default.
void compare(const pipeline::Node& node, const plugin::Manifest& next, Value& settings,
             std::set<std::string>& notes, std::set<std::string>& problems) {
    const plugin::Component& old = *node.component;
    const plugin::Component* component = find_named(next.components, old.name);
    if (component == nullptr) {
        problems.insert(fmt::format("the component {} has vanished", old.name));
        return;
    }
    for (const plugin::Compared& one : plugin::compare_components(old, *component)) {
        for (const plugin::SwapRemark& remark : one.on_swap) {
            auto& list = remark.is_refusal ? problems : notes;
            list.insert(fmt::format("{}: {}", old.name, remark.text));
        }
    }
    for (std::size_t i = 0; i < old.settings.size(); ++i) {
        const plugin::Setting& setting = old.settings[i];
        const bool has_vanished =
            std::ranges::find(component->settings, setting.name, &plugin::Setting::name) ==
            component->settings.end();
        const bool is_default =
            !node.settings[i] ||
            (setting.default_value && inline_toml(*node.settings[i]) == *setting.default_value);
        if (has_vanished && is_default) {
            settings.erase(setting.name);
        }
    }
}

// Returns a list with a line for each item.
template <class Lines>
std::string listed(const char* title, const Lines& lines) {
    return fmt::format("{}\n    {}", title, join(lines, "\n    "));
}

// Refuses builds whose declarations do not fit, and removes vanished settings from the experiment.
// Returns the differences.
std::vector<std::string> compare_builds(const pipeline::Plan& old,
                                        const std::vector<plugin::Staged>& files,
                                        experiment::Experiment& experiment) {
    std::set<std::string> notes;
    std::set<std::string> problems;
    for_each_settings(experiment, [&](const std::string& path, Value& settings) {
        for (const Nodes* nodes : {&old.tasks, &old.nodes}) {
            for (const pipeline::Node& node : *nodes) {
                const plugin::Staged* file = file_of(files, node.plugin->manifest.name);
                if (node.path == path && file != nullptr) {
                    compare(node, file->copy.manifest, settings, notes, problems);
                }
            }
        }
    });
    if (problems.size() == 1) {
        refuse_pipeline(*problems.begin(),
                        "keep this as it is, or begin a new run with this build");
    }
    if (!problems.empty()) {
        refuse_pipeline(listed("the build does not fit the running training:", problems),
                        "keep these as they are, or begin a new run with this build");
    }
    return {notes.begin(), notes.end()};
}

using pipeline::Plan;
using pipeline::Stream;

// Returns "float [B, prediction_size = 4]".
std::string stream_text(const Plan& plan, const Stream& stream) {
    return fmt::format("{} {}", plugin::to_string(stream.element),
                       pipeline::shape_text(plan, stream.shape, stream.has_shape));
}

void compare_streams(const Plan& running, const Plan& next, std::vector<std::string>& lines) {
    for (const Stream& stream : running.streams) {
        const Stream* const other = find_named(next.streams, stream.name);
        if (other == nullptr) {
            lines.push_back(fmt::format("'{}' would not exist", stream.name));
            continue;
        }
        const std::string is = stream_text(running, stream);
        const std::string would_be = stream_text(next, *other);
        if (is != would_be) {
            lines.push_back(fmt::format("'{}' is {}, would be {}", stream.name, is, would_be));
        }
    }
    for (const Stream& stream : next.streams) {
        if (find_named(running.streams, stream.name) == nullptr) {
            lines.push_back(fmt::format("'{}' would be new", stream.name));
        }
    }
}

template <class Items>
std::string node_names(const Items& items) {
    return join(transformed(items, [](const auto& item) { return item.name; }), ", ");
}

template <class Items>
void compare_order(const char* what, const Items& running, const Items& next,
                   std::vector<std::string>& lines) {
    const std::string are = node_names(running);
    const std::string would_be = node_names(next);
    if (are != would_be) {
        lines.push_back(fmt::format("the {} are {}, would be {}", what, are, would_be));
    }
}

}  // namespace

NextPipeline::NextPipeline(plugin::Catalog catalog_in, const ComponentContext& current)
    : catalog(std::move(catalog_in)),
      component_context{plan,           globals,     current.log, current.run_folder,
                        current.device, current.seed},
      trial(component_context) {
    current.globals.copy_to(globals);
}

std::shared_ptr<NextPipeline> plan_next(const CurrentPipeline& current,
                                        const std::vector<plugin::Staged>& files) {
    const pipeline::Plan& old = current.plan;
    auto next = std::make_shared<NextPipeline>(next_catalog(old, files), current.component_context);
    next->new_tasks = new_ones(old.tasks, files, current.experiment.swap);
    next->new_nodes = new_ones(old.nodes, files, current.experiment.swap);

    experiment::Experiment experiment = with_settings(current.experiment, old);
    next->notes = compare_builds(old, files, experiment);

    Diagnostics diagnostics;
    auto plan = pipeline::assemble(experiment, next->catalog, {}, diagnostics,
                                   pipeline::NeededFiles::kIgnored);
    if (!plan) {
        refuse_pipeline(
            diagnostics.text(),
            "let it take the values that this run has, or begin a new run with this build");
    }
    complete_sizes(old, *plan);
    if (const auto differences = plan_differences(old, *plan); !differences.empty()) {
        refuse_pipeline(
            listed("the streams would differ from the running pipeline:", differences),
            "keep the shapes of the ports and the sizes that the component publishes, or begin a "
            "new run with this build");
    }
    next->plan = std::move(*plan);
    return next;
}

void complete_sizes(const Plan& running, Plan& next) {
    if (node_names(running.symbols) != node_names(next.symbols)) {
        return;  // They are different pipelines.
    }
    for (std::size_t i = 0; i < next.symbols.size(); ++i) {
        if (!next.symbols[i].size) {
            next.symbols[i].size = running.symbols[i].size;
            next.symbols[i].origin = running.symbols[i].origin;
        }
    }
}

std::vector<std::string> plan_differences(const Plan& running, const Plan& next) {
    std::vector<std::string> lines;
    compare_streams(running, next, lines);
    if (lines.empty()) {
        compare_order("streams, in this order,", running.streams, next.streams, lines);
        compare_order("sizes", running.symbols, next.symbols, lines);
        compare_order("components, in this order,", running.nodes, next.nodes, lines);
        compare_order("tasks", running.tasks, next.tasks, lines);
    }
    return lines;
}

}  // namespace ptp::engine
