#include "host/prepare.hpp"

#include "base/exit_code.hpp"
#include "experiment/load/load.hpp"
#include "host/installation.hpp"
#include "host/plugin_trials.hpp"
#include "host/section_names.hpp"
#include "pipeline/assemble.hpp"
#include "plugin/first_party.hpp"
#include "plugin/precedence.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// The mistakes of a plugin are placed in its file.
bool is_in_plugin(const Problem& problem, const plugin::Catalog& catalog) {
    const auto is_there = [&](const auto& file) {
        return file.path.string() == problem.place.file();
    };
    return std::ranges::any_of(catalog.plugins, is_there) ||
           std::ranges::any_of(catalog.rejected, is_there);
}

// Files that cannot be used where they would have been: another of the same name is no substitute
// that anybody has asked for.
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

// What was looked at for plugins and could not be used. It may be what an error elsewhere lacks.
void warn_of_rejected(const plugin::Catalog& catalog,
                      const std::set<const plugin::RejectedFile*>& refused, Diagnostics& problems) {
    for (const plugin::RejectedFile& file : catalog.rejected) {
        if (!refused.contains(&file)) {
            problems.warning(SourceLocation(file.path.string(), 0, 0), "", file.reason);
        }
    }
}

}  // namespace

fs::path home_folder() {
    const char* const home = std::getenv("HOME");
    return home == nullptr ? "" : home;
}

namespace {

// What comes with ptp; of the folders and files that were named also what cannot be used for that.
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

}  // namespace

Prepared prepare(const Request& request, Diagnostics& problems, pipeline::NeededFiles files) {
    const fs::path home = home_folder();
    Prepared prepared;
    prepared.overrides = request.overrides;
    auto tree = experiment::load_experiment({request.file, request.overrides, home, request.text},
                                            problems);
    if (!tree) {
        return prepared;
    }
    prepared.experiment = experiment::read_experiment(
        *tree, {.default_name = fs::path(request.file).stem().string(), .home = home}, problems);
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
    if (!request.processed && !request.run_plugins) {
        pipeline::check_processed_tasks(prepared.experiment, prepared.catalog, home, problems);
    }
    prepared.plan = pipeline::assemble(prepared.experiment, prepared.catalog, home, problems, files,
                                       prepared.processed);
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

}  // namespace ptp::host
