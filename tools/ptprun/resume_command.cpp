#include "commands.hpp"
#include "config/resumable.hpp"
#include "console_options.hpp"
#include "engine/exit_code.hpp"
#include "engine_library.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "run_plugins.hpp"
#include "run_stages.hpp"
#include "show_error.hpp"
#include "sweep.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

int refuse(const std::string& reason) {
    show_error(reason);
    return engine::kConfigurationError;
}

// What status.json says; null where it says nothing: then the checkpoints decide.
nlohmann::ordered_json status_of(const fs::path& run) {
    std::error_code ignored;  // a pipe or a folder says as little as a file that is not there
    if (!fs::is_regular_file(run / "status.json", ignored)) {
        return nullptr;
    }
    std::ifstream file(run / "status.json");
    auto status = nlohmann::ordered_json::parse(file, nullptr, false);
    return status.is_object() && status.contains("state") ? status : nullptr;
}

// Names all that may be changed, so that nobody has to try.
std::string set_help() {
    std::string keys;
    for (const config::ResumableKey& one : config::resumable_keys()) {
        keys += fmt::format("{}{}", keys.empty() ? "" : ", ", one.key);
    }
    return "change the experiment of the run from here on, also of one that is done: " + keys;
}

// With --json as the event that ended the run.
int say_done(const fs::path& run, const nlohmann::ordered_json& status, bool is_json) {
    if (is_json) {
        const nlohmann::ordered_json event = {
            {"event", "end"},
            {"state", "done"},
            {"reason", status.value("reason", nlohmann::ordered_json())},
            {"exit_code", engine::kDone}};
        fmt::print("{}\n",
                   event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    } else {
        fmt::print(
            "the run in {0} is done; there is nothing to resume\n"
            "to train it longer: ptprun resume {0} --set "
            "training.terminal_conditions.epoch_limit=N\n",
            run.string());
    }
    return engine::kDone;
}

}  // namespace

// A run goes on with what lies in its folder, the copies of its plugins too: nothing that was
// installed or changed since then has a part in it. Its data must be there, as its tasks will say;
// the weights that it began with need not.
int resume_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, resume_options(), {}, "a run folder");
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(resume_options()));
        return engine::kDone;
    }
    check_console_options(map);
    const fs::path run = run_operand(map["experiment"].as<std::string>());
    const fs::path experiment = run / "experiment.toml";
    if (!fs::exists(experiment)) {
        return refuse(
            fmt::format("{} is not a run folder: it has no experiment.toml", run.string()));
    }
    const nlohmann::ordered_json status = status_of(run);
    const Request asked = request_from(map);
    refuse_sweep(asked);
    if (status.is_object() && status["state"] == "done" && asked.overrides.empty()) {
        return say_done(run, status, map.count("json") > 0);
    }
    config::Diagnostics problems;
    const RunStages stages = stages_of(run, asked.overrides, problems);
    if (!problems.ok()) {
        return report(problems, {}, asked.overrides);
    }
    const auto copies = plugins_of(run, run / "checkpoints" / "last", problems, asked.plugins);
    if (!problems.ok()) {
        report(problems, {});
        return engine::kPluginError;
    }
    const Prepared prepared = prepare({.file = stages.file.string(),
                                       .overrides = stages.values,
                                       .plugins = asked.plugins,
                                       .run_plugins = copies},
                                      problems, pipeline::NeededFiles::ignored);
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan) {
        return code;
    }
    engine::RunRequest request{prepared.experiment, *prepared.plan, run};
    request.is_resumed = true;
    request.stages = stages.experiments;
    request.new_values = asked.overrides;
    request.command_line = {"ptprun", "resume"};
    request.command_line.insert(request.command_line.end(), arguments.begin(), arguments.end());
    apply_console_options(map, request);
    return report(run_in_engine(request), asked.overrides);
}

Options resume_options() {
    Options description("Options of resume");
    description.add_options()(
        "set", po::value<std::vector<std::string>>()->composing()->value_name("KEY=VALUE"),
        set_help().c_str());
    add_console_options(description);
    add_json_option(description);
    add_show_option(description);
    add_watch_option(description);
    add_paused_option(description);
    add_plugin_options(description);
    return description;
}

}  // namespace ptp::ptprun
