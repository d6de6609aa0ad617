// Converts a whole experiment: its sections, its pipeline, and the keys that no table has.

#include "base/ranges.hpp"
#include "conversions.hpp"

#include "base/suggest.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/assemble.hpp"
#include "renames.hpp"
#include "schema/key_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ptp::importer {

namespace {

std::vector<std::string> names_of(const std::vector<schema::Key>& keys) {
    return transformed(keys, &schema::Key::name);
}

// Returns "*.sampler" for "training.sampler" and for "process.easy.sampler".
std::string pattern_of(std::string path) {
    if (path.starts_with("process.")) {
        path.erase(0, path.find('.') + 1);
    }
    const std::size_t dot = path.find('.');
    return dot == std::string::npos ? "*" : "*" + path.substr(dot);
}

void report_left_out(const Member& member, const std::string& path,
                     const std::vector<std::string>& known, Report& report) {
    const auto gone = gone_key(pattern_of(path), member.key);
    const auto meant = nearest(member.key, known);
    const std::string why =
        gone ? std::string(gone->why)
             : fmt::format("[{}] has no such key{}", path,
                           meant ? fmt::format("; did you mean '{}'?", *meant) : "");
    report.problems.warning(
        member.key_place, path + "." + member.key,
        Explanation{"left out: " + why, gone ? std::string(gone->instead) : ""});
}

void prune_table(Value& table, const std::string& path, const schema::KeyRecord& record,
                 Report& report) {
    const auto found = record.tables().find(path);
    if (found == record.tables().end() || path.ends_with(".task")) {
        return;
    }
    const std::vector<std::string> known = names_of(found->second.keys);
    std::erase_if(table.members(), [&](const Member& member) {
        const bool is_known = contains(known, member.key);
        if (!is_known) {
            report_left_out(member, path, known, report);
        }
        return !is_known;
    });
    for (Member& member : table.members()) {
        if (member.value.is_table()) {
            prune_table(member.value, path + "." + member.key, record, report);
        }
    }
}

// Removes them with a warning, except for those of tasks and components, which plugins declare.
void prune(Value& experiment, const std::filesystem::path& home, Report& report) {
    schema::KeyRecord record;
    Diagnostics ignored;
    experiment::read_experiment(experiment, {.default_name = "", .home = home, .keys = &record},
                                ignored);
    for (const auto& [path, table] : section_tables(experiment)) {
        if (table->is_table()) {
            prune_table(*table, path, record, report);
        }
    }
}

// Sorts components by their priorities, which are then removed: ptp orders by streams and globals,
// and otherwise as written.
void sort_by_priority(Value& pipeline, Report& report) {
    const auto priority_of = [](const Member& member) {
        const Value* const priority = member.value.find("priority");
        return priority != nullptr && priority->is_number()
                   ? priority->as_real()
                   : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(pipeline.members(), {}, priority_of);
    bool had_any = false;
    for (Member& member : pipeline.members()) {
        if (member.value.is_table()) {
            had_any = had_any || member.value.find("priority") != nullptr;
            member.value.erase("priority");
        }
    }
    if (had_any) {
        report.note(pipeline.place(), "pipeline",
                    "components are in the order of their priorities; which one runs first "
                    "follows from the streams");
    }
}

// Converts "a, b" to a list, without names that the pipeline does not have.
void import_disable(Value& pipeline, Report& report) {
    const Value* const disable = pipeline.find("disable");
    if (disable == nullptr || !disable->is_string()) {
        return;
    }
    const SourceLocation place = key_place(pipeline, "disable");
    std::vector<Value> names;
    for (const std::string& name : names_in_text(disable->as_string())) {
        if (pipeline.find(name) != nullptr) {
            names.push_back(Value(name).at(disable->place()));
        } else {
            report.note(place, "pipeline.disable",
                        fmt::format("there is no component {} that could be disabled", name));
        }
    }
    const Value list = Value::list(std::move(names)).at(disable->place());
    pipeline.erase("disable");
    if (!list.items().empty()) {
        pipeline.members().insert(pipeline.members().begin(), {"disable", place, list});
    }
}

// Converts the pipeline: its keys first, then its components.
Value import_pipeline(Value pipeline, Components& components, Report& report) {
    if (!pipeline.is_table()) {
        return pipeline;
    }
    sort_by_priority(pipeline, report);
    import_disable(pipeline, report);
    std::ranges::stable_partition(pipeline.members(),
                                  [](const Member& member) { return !member.value.is_table(); });
    for (Member& member : pipeline.members()) {
        if (member.value.is_table()) {
            import_component(member.value, "pipeline." + member.key, components, report);
        }
    }
    return pipeline;
}

// Converts tasks to the form of ptp. Adds the globals that they publish.
void import_tasks(Value& sections, Components& components, std::set<std::string>& published,
                  Report& report) {
    for (const auto& [path, table] : section_tables(sections)) {
        Value* const task = table->find("task");
        if (task == nullptr || !task->is_table()) {
            continue;
        }
        import_component(*task, path + ".task", components, report);
        if (const auto* declared = find_declared(components.catalog, *task); declared != nullptr) {
            for (const plugin::Global& global : declared->globals) {
                published.insert(text_at(task->find("globals"), global.name, global.name));
            }
        }
    }
}

Value converted(const Value& tree, const ImportRequest& request, Components& components,
                Report& report) {
    Value sections = import_sections(tree, request.worker, report);
    std::set<std::string> published;
    import_tasks(sections, components, published, report);
    const Value* const pipeline = tree.find("pipeline");
    if (pipeline != nullptr && pipeline->is_table()) {
        components.vocabularies.unpublished = unpublished_sizes(*pipeline, published);
    }
    Value experiment;
    experiment.set("name", text_at(pipeline, "name", request.files.roots.front().stem().string()));
    for (Member& member : sections.members()) {
        experiment.set(member.key, std::move(member.value), member.key_place);
    }
    if (pipeline != nullptr) {
        Value imported = import_pipeline(*pipeline, components, report);
        if (imported.is_table()) {
            imported.erase("name");
        }
        experiment.set("pipeline", std::move(imported), key_place(tree, "pipeline"));
    }
    return experiment;
}

// Renames the section with the pipeline to ptp's name.
void choose_pipeline(Value& tree, const std::string& name, Report& report) {
    if (name == "pipeline") {
        return;
    }
    tree.erase("pipeline");
    if (!rename_key(tree, name, "pipeline")) {
        report.problems.error(SourceLocation("--pipeline", 0, 0), name,
                              "the configuration has no such section");
    }
}

// YAML of another program has other sections.
bool may_be_of_pytorchpipe(const Value& tree) {
    const auto has_task = [](const Member& member) {
        return member.value.is_table() &&
               (member.value.find("task") != nullptr || member.value.find("problem") != nullptr);
    };
    const Value* pipeline = tree.find("pipeline");
    return (pipeline != nullptr && pipeline->is_table()) ||
           std::ranges::any_of(tree.members(), has_task);
}

}  // namespace

std::optional<Value> import_experiment(const ImportRequest& request, Report& report) {
    auto tree = load_yaml(request.files, report);
    if (!tree) {
        return std::nullopt;
    }
    choose_pipeline(*tree, request.pipeline, report);
    const bool is_of_pytorchpipe = may_be_of_pytorchpipe(*tree);
    Components components{request.catalog};
    Value experiment = converted(*tree, request, components, report);
    settle_names(experiment, request.catalog, report);
    prune(experiment, request.home, report);
    report.is_whole = report.problems.reported().empty();
    if (!is_of_pytorchpipe) {
        report.clear_notes();
        report.problems.error(
            SourceLocation(request.files.roots.front().string(), 0, 0), "",
            Explanation{"has neither a pipeline of components nor a task, which an experiment of "
                        "PyTorchPipe has; what ptp needs cannot be read from it",
                        "of another program: write the experiment as docs/experiments.md has it; "
                        "of a part of one: import the file that includes it"});
        return experiment;
    }
    const auto typed = experiment::read_experiment(
        experiment, {.default_name = "", .home = request.home}, report.problems);
    if (!request.catalog.plugins.empty() && report.problems.ok()) {
        pipeline::assemble(typed, request.catalog, request.home, report.problems,
                           pipeline::NeededFiles::kIgnored);
    }
    return experiment;
}

}  // namespace ptp::importer
