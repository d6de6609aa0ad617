// Prepares experiments and predictions: reads them, finds their plugins, assembles their pipeline.

#include "host/prepare.hpp"

#include "base/exit_code.hpp"
#include "base/paths.hpp"
#include "bundle/installed_models.hpp"
#include "experiment/load/groups.hpp"
#include "experiment/load/load.hpp"
#include "host/bundle_parameters.hpp"
#include "host/open_engine.hpp"
#include "host/plugin_trials.hpp"
#include "host/run_plugins.hpp"
#include "host/section_names.hpp"
#include "pipeline/misplaced.hpp"
#include "plugin/search_path.hpp"
#include "plugin/setting_key.hpp"
#include "run/paths.hpp"
#include "run/resolve.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// The mistakes of a plugin are placed in its file.
bool is_in_plugin(const Problem& problem, const plugin::Catalog& catalog) {
    const auto is_there = [&](const auto& file) { return file.path == problem.place.file(); };
    return std::ranges::any_of(catalog.plugins, is_there) ||
           std::ranges::any_of(catalog.rejected, is_there);
}

// Reports unusable files that precede a used plugin of the same name in the search: the user has
// not asked for that substitute.
std::set<const plugin::RejectedFile*> refuse_preceding(const plugin::Catalog& catalog,
                                                       const pipeline::Plan& plan,
                                                       std::size_t files_at,
                                                       Diagnostics& problems) {
    std::set<const plugin::RejectedFile*> refused;
    std::set<const plugin::CatalogEntry*> looked_at;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            const plugin::CatalogEntry& used = *node.plugin;
            if (!looked_at.insert(&used).second) {
                continue;
            }
            const plugin::RejectedFile* file = plugin::preceding(catalog, used, files_at);
            if (file != nullptr && refused.insert(file).second) {
                problems.error(
                    SourceLocation(file->path.string(), 0, 0), "",
                    Explanation{fmt::format("{}; it comes before {}, which has the same plugin "
                                            "'{}' and is not taken in its place",
                                            file->reason, used.path.string(), used.manifest.name),
                                fmt::format("repair or remove the file, or name another folder "
                                            "first: --plugins {}",
                                            used.path.parent_path().string())});
            }
        }
    }
    return refused;
}

// Warns of files that were searched for plugins in vain: an error elsewhere may be due to one. The
// error of a missing plugin names them, too.
void warn_of_rejected(const plugin::Catalog& catalog,
                      const std::set<const plugin::RejectedFile*>& refused, Diagnostics& problems) {
    for (const plugin::RejectedFile& file : catalog.rejected) {
        const std::string named = fmt::format("{}: {}", shown_path(file.path), file.reason);
        const auto names_it = [&](const Problem& problem) {
            return problem.message.find(named) != std::string::npos;
        };
        if (!refused.contains(&file) && std::ranges::none_of(problems.reported(), names_it)) {
            problems.warning(SourceLocation(file.path.string(), 0, 0), "", file.reason);
        }
    }
}

// Returns the plugins that come with ptp, and reports named files that do not.
plugin::Catalog safe_plugins(const Request& request) {
    constexpr const char* kRefusal = "does not come with this ptp, and --safe-mode loads no other";
    const fs::path installation = plugin::installation_folder(program_path());
    plugin::Catalog named =
        plugin::scan(request.plugins, request.run_plugins.value_or(std::vector<fs::path>()));
    plugin::Catalog installed = plugin::scan({installation});
    const auto is_other = [&](const plugin::CatalogEntry& entry) {
        return !plugin::is_first_party(entry.manifest.name, entry.path, installation);
    };
    for (const plugin::CatalogEntry& entry : named.plugins) {
        if (is_other(entry)) {
            named.rejected.push_back({entry.path, kRefusal});
        }
    }
    std::erase_if(named.plugins, is_other);
    std::erase_if(installed.plugins, is_other);
    const bool is_run_alone = request.run_plugins && !request.uses_search_path;
    return is_run_alone ? named : plugin::joined(std::move(named), std::move(installed));
}

}  // namespace

plugin::Catalog find_plugins(const Request& request, const experiment::Experiment& experiment) {
    if (request.is_safe) {
        return safe_plugins(request);
    }
    const auto on_path = [&](const std::vector<fs::path>& first) {
        plugin::SearchPath path = plugin::search_path_here(first, experiment.plugin_path);
        path.executable = program_path();
        return plugin::scan(plugin::search_folders(path));
    };
    if (!request.run_plugins) {
        return on_path(request.plugins);
    }
    plugin::Catalog catalog = plugin::scan(request.plugins, *request.run_plugins);
    if (!request.uses_search_path) {
        return catalog;
    }
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        catalog.deciding.push_back(entry.manifest.name);
    }
    return plugin::joined(std::move(catalog), on_path({}));
}

namespace {

// There is no plan with a plugin that may not be loaded.
void judge_plugins(const Request& request, Prepared& prepared, Diagnostics& problems) {
    std::set<const plugin::RejectedFile*> refused;
    const std::size_t errors = problems.error_count();
    if (prepared.plan) {
        refused = refuse_preceding(
            prepared.catalog, *prepared.plan,
            request.run_plugins ? request.plugins.size() : prepared.catalog.searched.size(),
            problems);
        report_crashes(*prepared.plan, problems);
    }
    warn_of_rejected(prepared.catalog, refused, problems);
    if (problems.error_count() > errors) {
        prepared.plan.reset();
    }
}

// The setting of a task or component that a key names, with nothing below it.
const plugin::Setting* setting_at(const pipeline::Plan& plan, const std::string& key) {
    for (const auto* nodes : {&plan.tasks, &plan.only_recorded, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            for (const plugin::Setting& setting : node.component->settings) {
                if (key == schema::below(node.path, setting.name)) {
                    return &setting;
                }
            }
        }
    }
    return nullptr;
}

// A path begins at the folder of the file that it is written in; a trial is given it as after
// --set, where it would begin at the current folder.
void make_absolute(Value& value) {
    if (value.is_list()) {
        for (Value& item : value.items()) {
            make_absolute(item);
        }
    } else if (value.is_string() && !value.as_string().empty()) {
        if (const auto path = path_from(value.as_string(), value.place(), home_folder())) {
            value = Value(absolute_text(*path)).at(value.place());
        }
    }
}

void make_paths_absolute(Prepared& prepared) {
    for (experiment::SearchRange& range : prepared.experiment.search.space) {
        const plugin::Setting* setting =
            prepared.plan ? setting_at(*prepared.plan, range.key) : nullptr;
        if (setting != nullptr && plugin::key_of(*setting).form == schema::Form::kPath) {
            for (Value& value : range.values) {
                make_absolute(value);
            }
        }
    }
}

// Returns the name of the section that is processed, for advice; "" for a training.
std::string processed_in(const Value& tree, const Request& request) {
    if (!request.processed) {
        return "";
    }
    if (!request.processed->empty()) {
        return request.processed->front();
    }
    const Value* const validation = tree.find("validation");
    const bool is_one = validation != nullptr && validation->is_table() &&
                        validation->find("task") != nullptr;  // not several with names
    return tree.find("test") != nullptr ? "test" : is_one ? "validation" : "training";
}

// Reads the experiment. Components outside of [pipeline], and settings without their component, are
// reported first: which there are is known once the plugins are.
experiment::Experiment read_tree(const Value& tree, const Request& request, Diagnostics& problems) {
    const experiment::ReadOptions options = {.default_name = fs::path(request.file).stem().string(),
                                             .home = home_folder(),
                                             .section = processed_in(tree, request)};
    const bool has_short_keys = options.section.empty() && pipeline::has_short_keys(tree);
    if (pipeline::has_misplaced(tree) || has_short_keys) {
        Diagnostics reported_below;
        const auto experiment = experiment::read_experiment(tree, options, reported_below);
        const plugin::Catalog catalog = find_plugins(request, experiment);
        pipeline::report_misplaced(tree, catalog, problems);
        if (has_short_keys) {  // of a command that trains: others change less
            pipeline::report_short_keys(tree, catalog, problems);
        }
    }
    return experiment::read_experiment(tree, options, problems);
}

// `load` names a run or a model as commands do, also below the `runs` beside the experiment.
void name_loaded_run(experiment::Load& load, const std::string& path, bool is_needed,
                     Diagnostics& problems) {
    std::error_code ignored;  // what cannot be looked at is reported by who opens it
    const fs::path folder = fs::absolute(load.place.file(), ignored).parent_path();
    if (const auto model = bundle::installed_model(load.written, folder, program_path())) {
        load.from = *model;
        return;
    }
    const fs::path name =
        fs::absolute(load.from, ignored).lexically_normal().lexically_relative(folder);
    std::vector<fs::path> words = {load.from};
    if (!name.empty() && *name.begin() != "..") {
        words.insert(words.end(), {folder / run::kRunsFolder / name, run::runs_root() / name});
    }
    std::string why;  // of the first; a folder of data may have the name of an experiment
    for (const fs::path& word : words) {
        const auto found = run::resolve(word, run::this_machine());
        if (const auto* unknown = std::get_if<run::UnknownRun>(&found)) {
            why = why.empty() ? unknown->why : why;
        } else if (fs::exists(std::get<fs::path>(found), ignored)) {
            load.from = std::get<fs::path>(found);
            return;
        }
    }
    if (!why.empty() && is_needed) {
        problems.missing_data(load.place, path + ".load", why);
    }
}

// Sets each `load` to the run or the model that its name means; a file or a folder stays. Returns
// false if a run is missing, which is reported where weights are needed.
bool name_loaded_runs(experiment::Experiment& experiment, bool are_needed, Diagnostics& problems) {
    const std::size_t errors = problems.error_count();
    if (experiment.pipeline.load) {
        name_loaded_run(*experiment.pipeline.load, "pipeline", are_needed, problems);
    }
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        if (entry.is_enabled && entry.load) {
            name_loaded_run(*entry.load, entry.path, are_needed, problems);
        }
    }
    return problems.error_count() == errors;
}

}  // namespace

Prepared prepare(const Request& request, Diagnostics& problems, pipeline::NeededFiles files) {
    const fs::path home = home_folder();
    Prepared prepared;
    prepared.overrides = request.overrides;
    const fs::path folder = fs::path(request.file).parent_path();
    if (bundle::is_laid_out(folder) && !problems.ok()) {
        return prepared;  // components of plugins that are missing would be reported, too
    }
    use_parameters(folder, request.overrides, request.over, problems);
    experiment::GroupUses uses;
    auto tree = experiment::load_experiment(
        {request.file, request.overrides, home, request.text, request.over}, problems, nullptr,
        &uses);
    if (!tree) {
        return prepared;
    }
    prepared.experiment = read_tree(*tree, request, problems);
    if (!name_loaded_runs(prepared.experiment, files == pipeline::NeededFiles::kChecked,
                          problems)) {
        files = pipeline::NeededFiles::kWithoutWeights;
    }
    if (bundle::is_laid_out(folder)) {
        prepared.experiment.plugin_path.clear();  // no folder that a bundle names has its plugins
    }
    tree.reset();  // one of thousands of components takes much memory, which is used again
    if (request.change && problems.ok()) {
        request.change(prepared.experiment, problems);
    }
    prepared.catalog = find_plugins(request, prepared.experiment);
    if (request.adapt && problems.ok()) {
        request.adapt(prepared.experiment, prepared.catalog, problems);
    }
    if (request.processed) {
        prepared.processed =
            sections_of(*request.processed, request.section_option, prepared.experiment, problems);
    }
    use_preparations(folder, prepared.experiment, prepared.catalog, problems);
    if (bundle::is_laid_out(folder) && !problems.ok()) {
        return prepared;  // what follows from it would be reported, too
    }
    pipeline::separate_globals(uses, prepared.catalog, home, prepared.experiment);
    std::optional<std::vector<pipeline::Draft>> processed_tasks;
    if (!request.processed && !request.run_plugins) {
        processed_tasks =
            pipeline::draft_processed_tasks(prepared.experiment, prepared.catalog, home, problems);
    }
    prepared.plan = pipeline::assemble(
        prepared.experiment, prepared.catalog, home, problems, files,
        {prepared.processed, processed_tasks ? &*processed_tasks : nullptr, request.is_predicted});
    if (!request.processed && !request.run_plugins) {
        warn_of_other_scales(prepared, problems);
    }
    experiment::name_uses(uses, problems);
    make_paths_absolute(prepared);
    if (request.is_safe && !problems.ok()) {
        problems.warning({}, "",
                         Explanation{"--safe-mode uses no plugins but those that come with ptp",
                                     "leave it out to use others"});
    }
    judge_plugins(request, prepared, problems);
    return prepared;
}

int exit_code_for(const Diagnostics& problems, const plugin::Catalog& catalog) {
    if (problems.ok()) {
        return kDone;
    }
    const auto sorted = problems.sorted();
    const bool is_plugins_fault = std::ranges::all_of(sorted, [&](const Problem& problem) {
        return problem.severity != Severity::kError || is_in_plugin(problem, catalog);
    });
    const bool is_data_missing = std::ranges::all_of(sorted, [](const Problem& problem) {
        return problem.severity != Severity::kError || problem.is_missing_data;
    });
    return is_plugins_fault ? kPluginError : is_data_missing ? kDataError : kConfigurationError;
}

Prepared prepare_trained(Request& request, const TrainedWeights& weights,
                         pipeline::NeededFiles files, Diagnostics& problems) {
    if (weights.run) {
        request.run_plugins =
            plugins_of(*weights.run, weights.checkpoint.value_or(""), problems, request.plugins);
    }
    Prepared prepared = prepare(request, problems, files);
    if (weights.checkpoint && prepared.plan) {
        check_checkpoint(*weights.checkpoint, *prepared.plan, problems);
    }
    return prepared;
}

PreparedPrediction prepare_prediction(Request& request, const TrainedWeights& weights,
                                      const std::vector<std::string>& streams,
                                      pipeline::NeededFiles files, Diagnostics& problems) {
    // The plugins of a model suffice, unless components are added to it.
    request.uses_search_path =
        !weights.run || !request.overrides.empty() || !request.over.empty() || request.adapt;
    request.is_predicted = true;
    PreparedPrediction made;
    made.prepared = prepare_trained(request, weights, files, problems);
    if (made.prepared.plan) {
        made.prediction = pipeline::find_prediction(*made.prepared.plan, streams, problems);
    }
    return made;
}

void allow_missing_inputs(experiment::Experiment& experiment) {
    for (experiment::ComponentEntry& entry : experiment.pipeline.components) {
        entry.skip_if_missing = true;
    }
}

}  // namespace ptp::host
