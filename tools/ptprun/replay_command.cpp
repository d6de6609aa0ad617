#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/output_file.hpp"
#include "base/suggest.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "control/journal.hpp"
#include "control/plugins_lock.hpp"
#include "engine_library.hpp"
#include "prepare.hpp"
#include "run/read_run.hpp"
#include "run_operand.hpp"
#include "run_plugins.hpp"
#include "run_stages.hpp"
#include "show_error.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

std::uint64_t episodes_of(const fs::path& run) {
    const auto status = nlohmann::json::parse(read_text(run / "status.json"), nullptr, false);
    if (!status.is_object() || !status.contains("episode") ||
        !status["episode"].is_number_unsigned()) {
        throw RunError(kDataError, fmt::format("{}: does not say how many episodes were run",
                                               (run / "status.json").string()));
    }
    return status["episode"].get<std::uint64_t>();
}

void check_names(const std::vector<std::string>& chosen, const control::PluginsLock& lock) {
    std::vector<std::string> known;
    for (const control::LockedPlugin& plugin : lock.plugins) {
        known.push_back(plugin.name);
    }
    for (const std::string& name : chosen) {
        if (std::ranges::count(known, name) == 0) {
            throw po::error(
                fmt::format("--plugin {}: the run has no such plugin{}", name, hint(name, known)));
        }
    }
}

// These plugins of the run, or all, are exchanged for a copy of what is in force, so many times,
// evenly over its episodes.
void add_swaps(std::vector<control::Entry>& script, const fs::path& run, std::int64_t count,
               const std::vector<std::string>& chosen) {
    const control::PluginsLock lock = control::read_plugins_lock(run / "plugins.lock");
    const std::uint64_t episodes = episodes_of(run);
    check_names(chosen, lock);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t episode =
            episodes * static_cast<std::uint64_t>(i + 1) / static_cast<std::uint64_t>(count + 1);
        std::vector<control::SwappedPlugin> plugins;
        for (const control::LockedPlugin& plugin : lock.plugins) {
            const bool is_chosen = chosen.empty() || std::ranges::count(chosen, plugin.name) > 0;
            if (const auto* generation =
                    is_chosen ? lock.in_force(plugin.name, episode) : nullptr) {
                plugins.push_back({plugin.name, generation->sha256, generation->file});
            }
        }
        script.push_back({episode, "swap", control::swap_arguments(plugins), ""});
    }
    std::ranges::stable_sort(script, {}, &control::Entry::episode);
}

// The bits depend on how many threads compute: as many as in the run.
void use_threads_of(const fs::path& run) {
    const auto record = nlohmann::json::parse(read_text(run / "run.json"), nullptr, false);
    const auto threads = nlohmann::json::json_pointer("/machine/threads");
    if (!record.is_object() || !record.contains(threads) || !record[threads].is_number_unsigned()) {
        throw RunError(kDataError,
                       fmt::format("{}: does not say with how many threads the run computed",
                                   (run / "run.json").string()));
    }
    const std::string count = record[threads].dump();
    const char* asked = std::getenv("OMP_NUM_THREADS");
    if (asked != nullptr && asked != count) {
        show({Severity::kWarning, SourceLocation(), "", "",
              fmt::format("OMP_NUM_THREADS={} is ignored: the run computed with {} thread{}, and a "
                          "replay does too",
                          asked, count, count == "1" ? "" : "s")});
    }
    setenv("OMP_NUM_THREADS", count.c_str(), 1);
}

}  // namespace

int replay_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, replay_options(), {}, "a run folder");
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(replay_options()));
        return kDone;
    }
    check_console_options(map);
    const fs::path run = run_operand(map["experiment"].as<std::string>());
    Diagnostics problems;
    const RunStages stages = stages_of(run, {}, problems);
    if (!problems.ok()) {
        return report(problems, {});
    }
    const auto copies = first_plugins(run, problems);
    if (!problems.ok()) {
        report(problems, {});
        return kPluginError;
    }
    const Prepared prepared = prepare(
        {.file = stages.file.string(), .overrides = {}, .plugins = {}, .run_plugins = copies},
        problems);
    const int code = report(problems, prepared.catalog);
    if (!prepared.plan) {
        return code;
    }
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    request.stages = stages.experiments;
    request.trial_kind = run::read_run(run, run::this_machine()).trial;
    request.script = control::read_journal(run / "journal.jsonl");
    request.script_plugins = run / "plugins";
    request.replayed_run = run;
    use_threads_of(run);
    const auto chosen = map.count("plugin") > 0 ? map["plugin"].as<std::vector<std::string>>()
                                                : std::vector<std::string>();
    if (!chosen.empty() && map.count("swaps") == 0) {
        throw po::error("--plugin is for --swaps");
    }
    if (map.count("swaps") > 0) {
        add_swaps(request.script, run, map["swaps"].as<std::int64_t>(), chosen);
    }
    if (map.count("run-dir") > 0) {
        request.run_folder = map["run-dir"].as<std::string>();
    }
    apply_console_options(map, request);
    request.command_line = {"ptprun", "replay"};
    request.command_line.insert(request.command_line.end(), arguments.begin(), arguments.end());
    return report(run_in_engine(request));
}

Options replay_options() {
    Options description("Options of replay");
    description.add_options()  //
        ("run-dir", po::value<std::string>()->value_name("DIR"),
         "where the new run goes; must be empty or not exist (default: runs/NAME/TIME)")  //
        ("swaps", po::value<std::int64_t>()->value_name("N"),
         "besides, exchange every plugin N times for a copy of itself")  //
        ("plugin", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
         "with --swaps: this plugin alone; may be given several times")  //
        ("help,h", "show this help");
    add_console_options(description);
    add_json_option(description);
    add_show_option(description);
    add_paused_option(description);
    return description;
}

}  // namespace ptp::ptprun
