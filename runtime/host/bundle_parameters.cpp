// Compares what a user sets with the parameters that a bundle declares.

#include "host/bundle_parameters.hpp"

#include "base/explanation.hpp"
#include "base/text.hpp"
#include "experiment/load/override.hpp"
#include "pipeline/task_data.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace ptp::host {

namespace {

bool is_declared(const std::vector<std::string>& path, const std::vector<std::string>& parameters) {
    return std::ranges::any_of(parameters, [&](const std::string& parameter) {
        const auto declared = experiment::read_key_path(parameter);
        return declared && declared->size() <= path.size() &&
               std::equal(declared->begin(), declared->end(), path.begin());
    });
}

std::string known_parameters(const std::vector<std::string>& parameters) {
    return parameters.empty() ? "it declares no parameters"
                              : "its parameters: " + join(parameters, ", ");
}

// Returns the fix for a key that is no parameter.
std::string how_to_declare(const std::string& key) {
    return fmt::format(
        "leave it out, or make a bundle that declares it: ptprun bundle RUN --parameter {}", key);
}

// Returns whether --set has set the value, or one in it.
bool is_from_command_line(const Value& value) {
    if (value.place().file() == kCommandLine) {
        return true;
    }
    if (value.is_list()) {
        return std::ranges::any_of(value.items(), is_from_command_line);
    }
    return value.is_table() &&
           std::ranges::any_of(value.members(), is_from_command_line, &Member::value);
}

// Returns whether the bundle's training has this value of a setting of its task.
bool is_of_training(const experiment::Experiment& experiment, const std::string& setting,
                    const Value& value) {
    const Value* const trained = experiment.training.task.settings.find(setting);
    return trained != nullptr && !is_from_command_line(*trained) && *trained == value;
}

// Returns whether the section has a task of another type, for files of another form, the training's
// has no value for the setting, and sizes follow from it, which are compared later.
bool is_size_of_other_task(const experiment::Experiment& experiment,
                           const experiment::Section& section, const plugin::Component& task,
                           const std::string& setting) {
    const experiment::TaskEntry& trained = experiment.training.task;
    const auto is_read = [&](const plugin::Global& global) {
        return global.value.find("$" + setting) != std::string::npos;
    };
    return section.task.type != trained.type && trained.settings.find(setting) == nullptr &&
           std::ranges::any_of(task.globals, is_read);
}

}  // namespace

void use_preparations(const std::filesystem::path& folder, const experiment::Experiment& experiment,
                      const plugin::Catalog& catalog, Diagnostics& problems) {
    const auto model = bundle::laid_out_bundle(folder);
    if (!model) {
        return;
    }
    const std::vector<std::string>& parameters = model->manifest.parameters;
    for (const experiment::Section* section : experiment::all_sections(experiment)) {
        const plugin::Component* const task = pipeline::component_of(section->task, catalog);
        if (task == nullptr) {
            continue;  // reported when the pipeline is assembled
        }
        for (const plugin::Setting& setting : task->settings) {
            const Value* const value = section->task.settings.find(setting.name);
            if (!setting.is_preparation || value == nullptr || !is_from_command_line(*value) ||
                is_of_training(experiment, setting.name, *value) ||
                is_size_of_other_task(experiment, *section, *task, setting.name)) {
                continue;
            }
            const std::string key = schema::below(section->task.path, setting.name);
            if (const auto path = experiment::read_key_path(key);
                path && !is_declared(*path, parameters)) {
                problems.error(
                    SourceLocation(std::string(kCommandLine), 0, 0), key,
                    Explanation{fmt::format("cannot be set in {}, where samples are prepared as "
                                            "in the training: {}",
                                            model->file.string(), known_parameters(parameters)),
                                how_to_declare(key)});
            }
        }
    }
}

std::vector<std::string> fixed_settings(const std::filesystem::path& folder,
                                        const pipeline::Plan& plan, const std::string& table) {
    std::vector<std::string> fixed;
    const auto model = bundle::laid_out_bundle(folder);
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            if (!model || node.path != table) {
                continue;
            }
            for (const plugin::Setting& setting : node.component->settings) {
                const auto path = experiment::read_key_path(schema::below(table, setting.name));
                const bool is_kept = node.section.empty() || setting.is_preparation;
                if (is_kept && path && !is_declared(*path, model->manifest.parameters)) {
                    fixed.push_back(setting.name);
                }
            }
        }
    }
    return fixed;
}

void use_parameters(const std::filesystem::path& folder, const std::vector<std::string>& overrides,
                    const std::vector<std::filesystem::path>& over, Diagnostics& problems) {
    const auto model = bundle::laid_out_bundle(folder);
    if (!model) {
        return;
    }
    const std::vector<std::string>& parameters = model->manifest.parameters;
    const std::string known = known_parameters(parameters);
    bool changes_model = false;
    for (std::size_t i = 0; i < overrides.size(); ++i) {
        Diagnostics unused;  // what is no override is reported when it is applied
        const auto override =
            experiment::read_override(overrides[i], static_cast<int>(i) + 1, unused);
        if (!override || override->path.front() != "pipeline") {
            continue;
        }
        changes_model = true;
        if (!is_declared(override->path, parameters)) {
            const std::string key = overrides[i].substr(0, overrides[i].find('='));
            problems.error(
                override->places.front(), key,
                Explanation{fmt::format("cannot be set in {}: {}", model->file.string(), known),
                            how_to_declare(key)});
        }
    }
    if (changes_model) {
        bundle::leave_out_samples(folder);
    }
    if (!over.empty()) {
        problems.error(
            SourceLocation(over.front().string(), 0, 0), "",
            Explanation{
                fmt::format("--over changes experiments, and {} is a bundle", model->file.string()),
                parameters.empty() ? "leave it out" : "--set KEY=VALUE sets one of " + known});
    }
}

}  // namespace ptp::host
