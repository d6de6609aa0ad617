// Writes an experiment as the tree that reads back to it.

#include "base/paths.hpp"
#include "base/ranges.hpp"
#include "experiment/readers.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ptp::experiment {

namespace {

void set_names(Value& table, const char* key, const std::vector<Renaming>& map) {
    if (map.empty()) {
        return;
    }
    Value& names = table.set(key, Value());
    for (const Renaming& renaming : map) {
        names.set(renaming.from, renaming.constant ? *renaming.constant : Value(renaming.to));
    }
}

// Returns the type, the maps of names and the settings, which come last, as people write them.
Value common(const std::string& type, const Names& names, Value extra, const Value& settings) {
    Value table;
    table.set("type", type);
    for (Member& member : extra.members()) {
        table.members().push_back(std::move(member));
    }
    for (const Member& member : settings.members()) {
        table.members().push_back(member);
    }
    set_names(table, "streams", names.streams);
    set_names(table, "globals", names.globals);
    set_names(table, "statistics", names.statistics);
    return table;
}

Value resolved_part(const Section& section) {
    Value table;
    table.set("task", common(section.task.type, section.task.names,
                             Value::table({{"batch_size", section.task.batch_size}}),
                             section.task.settings));
    DataLoader loader = section.dataloader;
    table.set("dataloader", write_kind(kinds_of(loader), loader.is_reservoir() ? 1 : 0));
    if (section.sampler) {
        table.set("sampler", sampler_tree(*section.sampler));
    }
    if (section.batch_limit) {
        table.set("batch_limit", *section.batch_limit);
    }
    return table;
}

Value resolved_part(const Training& training, bool has_validation) {
    Value table = resolved_part(static_cast<const Section&>(training));
    table.set("worker", training.worker == Worker::kOnline ? "online" : "offline");
    write_optimization(training, table);
    TerminalConditions conditions = training.terminal_conditions;
    Value limits = write_fields(fields_of(conditions));
    if (!has_validation) {
        limits.erase("early_stop_validations");
    }
    table.set("terminal_conditions", std::move(limits));
    const std::string& set = training.judging_set;
    if (training.judge) {
        const std::string& statistic = training.judge->statistic;
        Value judge =
            Value::table({{"statistic", set.empty() ? statistic : set + "." + statistic}});
        if (training.judge->has_direction) {
            judge.set("better", training.judge->is_larger_better ? "larger" : "smaller");
        }
        table.set("judge", std::move(judge));
    } else if (!set.empty()) {
        table.set("judge", set);
    }
    return table;
}

// Writes when and where a component, or those of a `try`, run.
template <class AnyEntry>
void set_phases(Value& table, const AnyEntry& entry) {
    if (!entry.phases.empty()) {
        table.set("phases", Value::list({entry.phases.begin(), entry.phases.end()}));
    }
    if (entry.skip_if_missing) {
        table.set("skip_if_missing", true);
    }
    if (entry.passes_through) {
        table.set("pass_through", true);
    }
    if (!entry.stage.empty()) {
        table.set("stage", entry.stage);
    }
}

Value resolved_part(const ComponentEntry& component) {
    Value extra;
    if (component.priority) {
        extra.set("priority", *component.priority);
    }
    if (component.load) {
        extra.set("load", tree_of(*component.load));
    }
    // Writes the key only if the experiment has it, because not every kind can be frozen.
    const Value layers =
        Value::list({component.frozen_layers.begin(), component.frozen_layers.end()});
    if (component.frozen_until || component.freezes_others) {
        Value table;
        if (component.frozen_until) {
            table.set("until_epoch", *component.frozen_until);
        }
        if (!component.frozen_layers.empty()) {
            table.set(component.freezes_others ? "except" : "layers", layers);
        }
        extra.set("freeze", std::move(table));
    } else if (!component.frozen_layers.empty()) {
        extra.set("freeze", layers);
    } else if (component.is_frozen || component.freeze_place != SourceLocation()) {
        extra.set("freeze", component.is_frozen);
    }
    if (!component.is_enabled) {
        extra.set("enabled", false);
    }
    set_phases(extra, component);
    if (component.share.empty()) {
        return common(component.type, component.names, std::move(extra), component.settings);
    }
    extra.erase("load");  // that of the shared component
    extra.erase("freeze");
    extra.set("share", component.share);
    Names names = component.names;
    names.globals.clear();
    Value table = common(component.type, names, std::move(extra), Value());
    table.erase("type");
    return table;
}

Value resolved_part(const TryEntry& entry) {
    Value table;
    table.set("try", Value::list({entry.components.begin(), entry.components.end()}));
    if (!entry.is_enabled) {
        table.set("enabled", false);
    }
    set_phases(table, entry);
    set_names(table, "streams", entry.names.streams);
    return table;
}

Value resolved_part(const Pipeline& pipeline) {
    Value table = Value::table({{"name", pipeline.name}});
    if (pipeline.load) {
        table.set("load", tree_of(*pipeline.load));
    }
    if (pipeline.is_frozen) {
        table.set("freeze", true);
    }
    for (const ComponentEntry& component : pipeline.components) {
        table.set(component.name, resolved_part(component));
    }
    for (const TryEntry& entry : pipeline.tries) {
        table.set(entry.name, resolved_part(entry));
    }
    return table;
}

// Adds all sections but [training]: "validation.hard" is the member `hard` of `validation`.
void set_sections(const Experiment& experiment, Value& root) {
    for (const Section* section : all_sections(experiment)) {
        const std::size_t dot = section->name.find('.');
        const std::string first = section->name.substr(0, dot);
        if (section == &experiment.training) {
            continue;
        }
        if (dot == std::string::npos) {
            root.set(first, resolved_part(*section));
            continue;
        }
        Value* table = root.find(first);
        table = table == nullptr ? &root.set(first, Value()) : table;
        table->set(section->name.substr(dot + 1), resolved_part(*section));
    }
}

}  // namespace

Value resolved_tree(const Experiment& experiment) {
    Value root;
    root.set("name", experiment.name);
    if (experiment.seed) {
        root.set("seed", *experiment.seed);
    }
    root.set("device", experiment.device);
    if (!experiment.is_deterministic) {
        root.set("deterministic", false);
    }
    if (experiment.pipeline.interval) {
        root.set("interval", experiment.pipeline.interval->as_integer());
    }
    if (!experiment.plugin_path.empty()) {
        root.set("plugins", Value::table({{"path", Value::list(transformed<Value>(
                                                       experiment.plugin_path, absolute_text))}}));
    }
    root.set("training", resolved_part(experiment.training, experiment.validation.has_value()));
    set_sections(experiment, root);
    if (experiment.validation && experiment.partial_validation_interval > 0) {
        root.find("validation")
            ->set("partial_validation_interval", experiment.partial_validation_interval);
    }
    if (Value records = tree_of(experiment.records); !records.members().empty()) {
        root.set("records", std::move(records));
    }
    if (experiment.report) {
        root.set("report", tree_of(*experiment.report));
    }
    Checkpointing checkpoint = experiment.checkpoint;
    root.set("checkpoint", write_fields(fields_of(checkpoint)));
    root.set("swap", tree_of(experiment.swap));
    root.set("distributed", tree_of(experiment.distributed));
    if (!experiment.search.space.empty()) {
        root.set("search", tree_of(experiment.search));
    }
    root.set("pipeline", resolved_part(experiment.pipeline));
    return root;
}

}  // namespace ptp::experiment
