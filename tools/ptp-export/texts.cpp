// Writes the metadata. Components are described as an experiment would: tables of TOML with all
// settings, but for files and folders of the machine that trained.

#include "ptp-export/texts.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "bundle/history.hpp"
#include "pipeline/sizes.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/catalog.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace ptp::onnx {

namespace {

// Returns whether a setting is of the machine: files and folders, also relative ones and lists.
bool is_place_on_disk(const plugin::Setting& declared, const Value& value) {
    return declared.type == plugin::SettingType::kPath ||
           (value.is_string() && std::filesystem::path(value.as_string()).is_absolute());
}

Value table_of(const pipeline::Node& node) {
    Value table = Value::table({{"type", node.component->name}});
    for (std::size_t i = 0; i < node.settings.size(); ++i) {
        const plugin::Setting& declared = node.component->settings[i];
        if (const auto& value = node.settings[i]; value && !is_place_on_disk(declared, *value)) {
            table.set(declared.name, *value);
        }
    }
    return table;
}

// Returns the tables of the components with these titles, "'NAME' (TYPE)", by their names.
Value tables_of(const pipeline::Plan& plan, const std::vector<std::string>& titles) {
    Value tables = Value::table();
    for (const pipeline::Node& node : plan.nodes) {
        if (std::ranges::find(titles, pipeline::node_text(node)) != titles.end()) {
            tables.set(node.name, table_of(node));
        }
    }
    return tables;
}

const pipeline::Node& task_of(const Origin& origin) {
    return *std::ranges::find(origin.plan.tasks, origin.section, &pipeline::Node::section);
}

// Returns the globals with which the task and the components before the graph prepare samples, such
// as the means and deviations of columns and the numbers of words, but for names of classes, which
// the file has anyway. A plain number is a size.
Value preparing_globals(const engine::ForwardGraph& graph, const Origin& origin) {
    Value globals = Value::table();
    const auto add = [&](const pipeline::Node& node) {
        for (const auto& [declared, name] : node.globals) {
            const Value* const value = graph.globals.find(name);
            const bool is_plain = value == nullptr || !(value->is_table() || value->is_list());
            if (!is_plain && pipeline::class_names_in(*value) != graph.class_names) {
                globals.set(name, *value);
            }
        }
    };
    add(task_of(origin));
    for (const pipeline::Node& node : origin.plan.nodes) {
        if (std::ranges::find(graph.before, pipeline::node_text(node)) != graph.before.end()) {
            add(node);
        }
    }
    return globals;
}

// Returns the names of what the experiment states of the task's preparation: "features".
std::vector<std::string> preparing_settings(const pipeline::Node& task) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < task.settings.size(); ++i) {
        const plugin::Setting& declared = task.component->settings[i];
        const auto& value = task.settings[i];
        if (declared.is_preparation && value &&
            inline_toml(*value) != declared.default_value.value_or("")) {
            names.push_back(declared.name);
        }
    }
    return names;
}

// Returns whether a value standardizes: "mean" of a column, "means" of several. A vocabulary may
// have these words, too, and has nothing but integers.
bool has_means(const Value& value) {
    if (value.is_list()) {
        return std::ranges::any_of(value.items(), has_means);
    }
    return value.is_table() &&
           !std::ranges::all_of(value.members(),
                                [](const Member& one) { return one.value.is_integer(); }) &&
           std::ranges::any_of(value.members(), [](const Member& one) {
               return one.key == "mean" || one.key == "means" || has_means(one.value);
           });
}

}  // namespace

std::string preparation_text(const engine::ForwardGraph& graph, const Origin& origin,
                             const std::string& settings_place, const std::string& globals_place) {
    const pipeline::Node& task = task_of(origin);
    const std::vector<std::string> settings = preparing_settings(task);
    std::vector<std::string> scales;
    std::vector<std::string> others;
    const Value globals = preparing_globals(graph, origin);
    for (const Member& one : globals.members()) {
        (has_means(one.value) ? scales : others).push_back(one.key);
    }
    std::string text;
    const auto add = [&](const std::vector<std::string>& names, const std::string& what) {
        if (!names.empty()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : "; ", what, join(names, ", "));
        }
    };
    add(settings, "by");
    add(scales, "standardized by the means and deviations of");
    add(others, "with");
    return text.empty() ? ""
                        : fmt::format(
                              "  samples go in as the task, {}, prepares them: {}\n"
                              "    {} has these settings{}\n",
                              task.component->name, text, settings_place,
                              scales.empty() && others.empty()
                                  ? ""
                                  : fmt::format(", {} has the {}", globals_place,
                                                scales.empty() ? "rest" : "numbers"));
}

void add_texts(const engine::ForwardGraph& graph, const Origin& origin, OnnxFile& file) {
    file.add_text("ptp.experiment", origin.experiment);
    if (!origin.run.empty()) {
        file.add_text("ptp.run", origin.run);
    }
    if (origin.checkpoint) {
        file.add_text("ptp.checkpoint", origin.checkpoint->filename().string());
        file.add_text("ptp.weights_sha256", bundle::hash_of_weights(*origin.checkpoint));
    }
    file.add_text("ptp.before", join(graph.before, "\n"));
    file.add_text("ptp.forward", join(graph.components, "\n"));
    file.add_text("ptp.after", join(graph.after, "\n"));
    if (!graph.class_names.empty()) {
        file.add_text("ptp.class_names", join(graph.class_names, "\n"));
    }
    Value before = Value::table({{"task", table_of(task_of(origin))}});
    before.set("pipeline", tables_of(origin.plan, graph.before));
    file.add_text("ptp.before.toml", to_toml(before));
    if (const Value globals = preparing_globals(graph, origin); !globals.members().empty()) {
        file.add_text("ptp.globals.toml", to_toml(globals));
    }
    if (!graph.after.empty()) {
        file.add_text("ptp.after.toml",
                      to_toml(Value::table({{"pipeline", tables_of(origin.plan, graph.after)}})));
    }
}

}  // namespace ptp::onnx
