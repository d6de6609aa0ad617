#include "prepare.hpp"

#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "base/toml_writer.hpp"
#include "common/command_line.hpp"
#include "experiment/load/load.hpp"
#include "familiar_commands.hpp"
#include "pipeline/assemble.hpp"
#include "plugin/precedence.hpp"
#include "plugin/search_path.hpp"
#include "show_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

using Strings = std::vector<std::string>;

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The mistakes of a plugin are placed in its file.
bool is_in_plugin(const Problem& problem, const plugin::Catalog& catalog) {
    const auto is_there = [&](const auto& file) {
        return file.path.string() == problem.place.file();
    };
    return std::ranges::any_of(catalog.plugins, is_there) ||
           std::ranges::any_of(catalog.rejected, is_there);
}

// Files that cannot be used where they would have been: another of the same name is no substitute that
// anybody has asked for.
std::set<const plugin::RejectedFile*> refuse_preceding(const plugin::Catalog& catalog,
                                                       const pipeline::Plan& plan,
                                                       std::size_t files_at,
                                                       Diagnostics& problems) {
    std::set<const plugin::RejectedFile*> refused;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            const plugin::CatalogEntry& used = *node.plugin;
            const plugin::RejectedFile* file = plugin::preceding(catalog, used, files_at);
            if (file != nullptr && refused.insert(file).second) {
                problems.error(
                    SourceLocation(file->path.string(), 0, 0), "",
                    fmt::format("{}; it comes before {}, which has the same plugin '{}' and is not "
                                "taken in its place\n"
                                "    fix: repair or remove the file, or name another folder first: "
                                "--plugins {}",
                                file->reason, used.path.string(), used.manifest.name,
                                used.path.parent_path().string()));
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

// The sections to process; reports those that the experiment has not.
Strings sections_of(const Strings& asked_for, const experiment::Experiment& experiment,
                    Diagnostics& problems) {
    Strings known = {experiment.training.name};
    if (experiment.validation) {
        known.push_back(experiment.validation->name);
    }
    if (experiment.test) {
        known.push_back(experiment.test->name);
    }
    if (asked_for.empty()) {
        return {known.back()};
    }
    for (const std::string& name : asked_for) {
        const SourceLocation place("--section", 0, 0);
        if (std::ranges::find(known, name) == known.end()) {
            problems.error(place, name, "the experiment has no such section" + hint(name, known));
        } else if (std::ranges::count(asked_for, name) > 1) {
            problems.error(place, name, "is asked for more than once");
        }
    }
    return asked_for;
}

// What a second word, where one is wanted, may have meant: `ptprun net.toml epochs=5`.
std::string surplus_text(const std::string& first, const std::string& word) {
    const bool is_override = word.find('=') != std::string::npos;
    return fmt::format("'{}' is one word too many after '{}'{}", word, first,
                       is_override ? fmt::format("\n    fix: --set {}", word) : "");
}

po::variables_map parsed(const Strings& arguments, const po::options_description& options,
                         const po::positional_options_description& positions) {
    return tools::read({arguments, options, positions, advice_on_option(arguments)});
}

}  // namespace

void add_request_options(po::options_description& options) {
    options.add_options()  //
        ("set", po::value<Strings>()->composing()->value_name("KEY=VALUE"),
         "replace a value of the experiment: training.task.batch_size=32; several values, "
         "training.optimizer.lr=0.1,0.01, are a sweep");
    add_plugin_options(options);
}

void add_plugin_options(po::options_description& options) {
    options.add_options()  //
        ("plugins", po::value<Strings>()->composing()->value_name("DIR"),
         "look for plugins here first; may be given several times")  //
        ("help,h", "show this help");
}

po::variables_map parse(const Strings& arguments, const po::options_description& options,
                        const Strings& more, const std::string& wanted) {
    po::options_description all = options;
    all.add_options()("experiment", po::value<std::string>());
    all.add_options()("surplus", po::value<Strings>()->composing());
    po::positional_options_description positions;
    positions.add("experiment", 1);
    for (const std::string& name : more) {
        all.add_options()(name.c_str(), po::value<std::string>());
        positions.add(name.c_str(), 1);
    }
    positions.add("surplus", -1);
    po::variables_map map = parsed(arguments, all, positions);
    if (map.count("surplus") > 0) {
        throw po::error(surplus_text(map["experiment"].as<std::string>(),
                                     map["surplus"].as<Strings>().front()));
    }
    if (map.count("experiment") == 0 && map.count("help") == 0) {
        throw po::error(wanted + " is needed");
    }
    return map;
}

void add_device(const po::variables_map& map, Request& request) {
    if (map.count("device") == 0) {
        return;
    }
    const std::string& device = map["device"].as<std::string>();
    if (!std::regex_match(device, std::regex("cpu|cuda|cuda:[0-9]{1,3}"))) {
        throw po::error(fmt::format("--device {}: must be cpu, cuda or cuda:N", device));
    }
    request.overrides.push_back("device=" + inline_toml(Value(device)));
}

Request request_from(const po::variables_map& map) {
    Request request{.file = map["experiment"].as<std::string>(), .overrides = {}, .plugins = {}};
    if (map.count("set") > 0) {
        request.overrides = map["set"].as<Strings>();
    }
    request.plugins = plugins_from(map);
    return request;
}

std::vector<fs::path> plugins_from(const po::variables_map& map) {
    std::vector<fs::path> folders;
    if (map.count("plugins") > 0) {
        for (const std::string& folder : map["plugins"].as<Strings>()) {
            folders.emplace_back(folder);
        }
    }
    return folders;
}

Words parse_words(const Strings& arguments, const po::options_description& options,
                  const Count& count) {
    po::options_description all = options;
    all.add_options()("operands", po::value<Strings>()->composing());
    po::positional_options_description positions;
    positions.add("operands", -1);
    Words words;
    words.options = parsed(arguments, all, positions);
    if (words.options.count("operands") > 0) {
        words.operands = words.options["operands"].as<Strings>();
    }
    if (words.options.count("help") > 0) {
        return words;
    }
    if (words.operands.size() < count.least) {
        throw po::error(count.what);
    }
    if (words.operands.size() > count.most) {
        throw po::error(fmt::format("'{}' is one word too many", words.operands[count.most]));
    }
    return words;
}

fs::path home_folder() {
    return environment("HOME");
}

plugin::Catalog find_plugins(const Request& request, const experiment::Experiment& experiment) {
    const auto on_path = [&](const std::vector<fs::path>& first) {
        return plugin::scan(
            plugin::search_folders({first, environment("PTP_PLUGIN_PATH"), experiment.plugin_path,
                                    plugin::executable_path()}));
    };
    if (!request.run_plugins) {
        return on_path(request.plugins);
    }
    plugin::Catalog catalog = plugin::scan(request.plugins, *request.run_plugins);
    return request.uses_search_path ? plugin::joined(std::move(catalog), on_path({})) : catalog;
}

Prepared prepare(const Request& request, Diagnostics& problems, pipeline::NeededFiles files) {
    const fs::path home = home_folder();
    Prepared prepared;
    prepared.overrides = request.overrides;
    const auto tree =
        experiment::load_experiment({request.file, request.overrides, home}, problems);
    if (!tree) {
        return prepared;
    }
    prepared.experiment = experiment::read_experiment(
        *tree, {.default_name = fs::path(request.file).stem().string(), .home = home}, problems);
    if (request.change && problems.ok()) {
        request.change(prepared.experiment, problems);
    }
    prepared.catalog = find_plugins(request, prepared.experiment);
    if (request.adapt && problems.ok()) {
        request.adapt(prepared.experiment, prepared.catalog, problems);
    }
    if (request.processed) {
        prepared.processed = sections_of(*request.processed, prepared.experiment, problems);
    }
    prepared.plan = pipeline::assemble(prepared.experiment, prepared.catalog, home, problems, files,
                                       prepared.processed);
    std::set<const plugin::RejectedFile*> refused;
    if (prepared.plan) {
        refused = refuse_preceding(
            prepared.catalog, *prepared.plan,
            request.run_plugins ? request.plugins.size() : prepared.catalog.searched.size(),
            problems);
    }
    warn_of_rejected(prepared.catalog, refused, problems);
    if (!refused.empty()) {
        prepared.plan.reset();
    }
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

int report(const Diagnostics& problems, const plugin::Catalog& catalog,
           const std::vector<std::string>& overrides) {
    show(problems, overrides);
    return exit_code_for(problems, catalog);
}

}  // namespace ptp::ptprun
