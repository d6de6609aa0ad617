// Writes the metadata. Components are described as an experiment would: tables of TOML with all
// settings, but for files and folders of the machine that trained.

#include "ptp-export/texts.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "bundle/history.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/catalog.hpp"

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

}  // namespace

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
    Value before = Value::table();
    for (const pipeline::Node& task : origin.plan.tasks) {
        if (task.section == origin.section) {
            before.set("task", table_of(task));
        }
    }
    before.set("pipeline", tables_of(origin.plan, graph.before));
    file.add_text("ptp.before.toml", to_toml(before));
    if (!graph.after.empty()) {
        file.add_text("ptp.after.toml",
                      to_toml(Value::table({{"pipeline", tables_of(origin.plan, graph.after)}})));
    }
}

}  // namespace ptp::onnx
