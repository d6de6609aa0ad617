// `ptprun record`: trains, and keeps what flows into and out of one component.

#include "base/suggest.hpp"
#include "commands.hpp"
#include "common/program.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "host/run_plugins.hpp"
#include "missing_downloads.hpp"
#include "report.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"
#include "training_job.hpp"
#include "training_options.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::ptprun {

namespace {

constexpr std::int64_t kUsualBatches = 10;
constexpr std::int64_t kMaxBatches = 1000000;

// The component that the user means by its name, or by its table: "model", "training.task".
const pipeline::Node& component_named(const std::string& name, const pipeline::Plan& plan) {
    std::vector<std::string> known;
    for (const auto* nodes : {&plan.nodes, &plan.tasks}) {
        for (const pipeline::Node& node : *nodes) {
            if (node.path == name || (node.section.empty() && node.name == name)) {
                return node;
            }
            known.push_back(node.section.empty() ? node.name : node.path);
        }
    }
    throw UsageError(fmt::format("--component {}: the experiment has no component of this name{}",
                                 name, hint(name, known)));
}

engine::RecordingRequest recording_from(const Given& given, const pipeline::Plan& plan,
                                        const std::filesystem::path& file) {
    const std::string name = given.text("component");
    const pipeline::Node& node = component_named(name, plan);
    if (!node.share.empty()) {
        throw UsageError(
            fmt::format("--component {0}: it has the model of '{1}'; record that one: "
                        "--component {1}",
                        node.name, node.share));
    }
    return {.component = node.path,
            .file = file,
            .batches = static_cast<std::uint64_t>(*given.integer("episodes"))};
}

int run_record(const Given& given) {
    require_one_process("ptprun record");
    const std::filesystem::path file = tools::output_file(given.text("output"), "ptprec");
    host::Request request = training_request(given);
    const Subject subject = subject_operand(request.file);
    request.file = subject.experiment;
    if (is_sweep(request)) {
        throw UsageError("ptprun record trains once: give each --set one value");
    }
    GitStateQuery git(given.operands().front());
    Diagnostics problems;
    if (subject.run) {
        request.run_plugins = host::plugins_of(*subject.run, "", problems, request.plugins);
        request.uses_search_path = true;
    }
    const host::Prepared prepared = host::prepare(request, problems);
    const int code = report(problems, prepared, request);
    if (!prepared.plan || !problems.ok()) {
        return code;
    }
    engine::RunRequest job = training_job(given, prepared, git);
    job.recording = recording_from(given, *prepared.plan, file);
    engine::RunResult result = host::run_in_engine(job);
    complete_fix(result, prepared, request);
    return report(result, request.overrides);
}

std::vector<Option> own_options() {
    return {{.name = "component",
             .value = "NAME",
             .help = "the component to record: its name, or the table of a task, such as "
                     "training.task",
             .is_required = true},
            {.name = "output,o",
             .value = "FILE",
             .help = "write the recording to FILE",
             .completions = {tools::kFiles},
             .is_required = true},
            {.name = "episodes",
             .value = "N",
             .help = "keep the first N batches that the component processes (default: 10)",
             .integers = tools::Integers{.min = 1, .max = kMaxBatches, .usual = kUsualBatches}}};
}

// The options of one training without swaps.
std::vector<Option> options_of_training() {
    std::vector<Option> options = training_options();
    std::erase_if(options, [](const Option& option) {
        const std::string name = option.long_name();
        return name == "jobs" || name == "share" || name == "watch" || name == "swap-check" ||
               name == "nproc" || name == "restarts" || name == "min-nproc";
    });
    for (Option& option : options) {
        option.instead.clear();  // a sweep
    }
    return options;
}

}  // namespace

Command record_command() {
    return {.name = "record",
            .summary = "trains, and records one component",
            .details =
                "The training is the same, bit for bit, as without the recording. The file is\n"
                "written as soon as all batches are there; `ptp-inspect replay` feeds a build\n"
                "of the component with it: docs/authoring/recorded-streams.md.\n",
            .operands = {declared_subject()},
            .options = tools::concat({own_options(), options_of_training()}),
            .example = "ptprun record net.toml --component model -o model.ptprec --episodes 5",
            .keeps_results = true,
            .run = run_record};
}

}  // namespace ptp::ptprun
