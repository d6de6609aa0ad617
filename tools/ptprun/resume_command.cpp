#include "base/exit_code.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "engine_library.hpp"
#include "experiment/resumable.hpp"
#include "prepare.hpp"
#include "resume_check.hpp"
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
#include <string>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

int refuse(const std::string& reason) {
    show_error(reason);
    return kConfigurationError;
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
    for (const experiment::ResumableKey& one : experiment::resumable_keys()) {
        keys += fmt::format("{}{}", keys.empty() ? "" : ", ", one.key);
    }
    return "change the experiment of the run from here on, also of one that is done: " + keys;
}

// The event that ended the run.
void print_end(const std::string& state, const std::string& reason, int code) {
    const nlohmann::ordered_json event = {
        {"event", "end"}, {"state", state}, {"reason", reason}, {"exit_code", code}};
    fmt::print("{}\n",
               event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string reason_in(const nlohmann::ordered_json& status) {
    const auto reason = status.is_object() ? status.find("reason") : status.end();
    return reason != status.end() && reason->is_string() ? reason->get<std::string>() : "";
}

int say_done(const fs::path& run, const nlohmann::ordered_json& status, bool is_json) {
    if (is_json) {
        print_end("done", reason_in(status), kDone);
    } else {
        fmt::print(
            "the run in {0} is done; there is nothing to resume\n"
            "to train it longer: ptprun resume {0} --set "
            "training.terminal_conditions.epoch_limit=N\n",
            run.string());
    }
    return kDone;
}

// The folder of the checkpoint that is asked for; empty: the newest whole one.
fs::path asked_checkpoint(const po::variables_map& map, const fs::path& run) {
    const std::string asked =
        map.count("checkpoint") > 0 ? map["checkpoint"].as<std::string>() : "last";
    if (asked == "last") {
        return {};
    }
    if (asked != "best") {
        throw po::error(fmt::format("--checkpoint {}: must be best or last", asked));
    }
    if (map.count("set") == 0 && map.count("plugins") == 0 && map.count("paused") == 0) {
        throw po::error(
            "--checkpoint best: the training would only come to the same again; --set changes "
            "something, or --plugins");
    }
    const fs::path best = fs::absolute(run) / "checkpoints" / "best";
    if (!fs::is_directory(best)) {
        throw po::error(fmt::format("--checkpoint best: {} has none", run.string()));
    }
    // In copies that followed the links it is a folder itself.
    return fs::is_symlink(best) ? best.parent_path() / fs::read_symlink(best) : best;
}

// It would end at once, as it has ended.
int refuse_diverged(const fs::path& run, const std::string& reason, const po::variables_map& map) {
    const int code = map.count("set") > 0 ? kConfigurationError : kDiverged;
    if (map.count("json") > 0) {
        print_end("failed", reason, code);
    }
    show_error(diverged_text(run, reason));
    return code;
}

}  // namespace

// A run continues with what lies in its folder, the copies of its plugins too: nothing that was
// installed or changed since then has a part in it. Its data must be there, as its tasks will say;
// the weights that it began with need not.
int resume_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, resume_options(), {}, "a run folder");
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(resume_options()));
        return kDone;
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
    if (status.is_object() && status["state"] == "done" && asked.overrides.empty() &&
        map.count("checkpoint") == 0) {
        return say_done(run, status, map.count("json") > 0);
    }
    Diagnostics problems;
    const fs::path asked_for = asked_checkpoint(map, run);
    const fs::path checkpoint = asked_for.empty() ? run / "checkpoints" / "last" : asked_for;
    const RunStages stages = stages_of(run, asked.overrides, problems);
    const auto standing = standing_at(run, checkpoint);
    if (problems.ok() && standing && !stages.experiments.empty() && !asked.overrides.empty()) {
        check_limits(stages, *standing, problems);
    }
    if (!problems.ok()) {
        return report(problems, {}, asked.overrides);
    }
    if (standing && !stages.experiments.empty() && stays_diverged(stages, *standing)) {
        return refuse_diverged(run, reason_in(status), map);
    }
    const auto copies = plugins_of(run, checkpoint, problems, asked.plugins);
    if (!problems.ok()) {
        report(problems, {});
        return kPluginError;
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
    request.checkpoint = asked_for;
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
    description.add_options()("checkpoint", po::value<std::string>()->value_name("NAME"),
                              "go on from `best`, and give up what came after it; `last` is the "
                              "default");
    add_console_options(description);
    add_json_option(description);
    add_show_option(description);
    add_watch_option(description);
    add_paused_option(description);
    add_plugin_options(description);
    return description;
}

}  // namespace ptp::ptprun
