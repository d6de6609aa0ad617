// `ptprun process`: evaluates sections with the weights of a run.

#include "base/exit_code.hpp"
#include "commands.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "missing_downloads.hpp"
#include "pipeline/evaluate.hpp"
#include "pipeline/table_rows.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/purpose.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "run_warnings.hpp"
#include "training_options.hpp"
#include "unread_settings.hpp"
#include "whole_fixes.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProcess = "process";

// Returns whether the task can read samples without targets.
bool takes_unlabeled(const pipeline::Node& task) {
    return std::ranges::any_of(task.component->settings, &plugin::Setting::takes_unlabeled);
}

// Warns of files and folders that --set names, and that the training of the weights has read, and
// of new ones whose rows are divided as those of the training: a task that divides its rows may
// read others of them.
void warn_of_trained_data(const host::Prepared& prepared, Diagnostics& problems) {
    for (const pipeline::Node& task : prepared.plan->tasks) {
        if (task.section == prepared.experiment.training.name) {
            continue;  // whose own data --set has replaced
        }
        const auto& declared = task.component->settings;
        const auto* const part = plugin::find_purpose(declared, plugin::Purpose::kSplit);
        const bool is_divided =
            part != nullptr && pipeline::checked_settings(task).find(part->name) != nullptr;
        for (std::size_t i = 0; i < declared.size() && !is_divided; ++i) {
            const std::optional<Value>& value = task.settings[i];
            if (!pipeline::has_samples(declared[i], declared) || !value || !value->is_string() ||
                value->place().file() != kCommandLine) {
                continue;
            }
            const std::string drawn = pipeline::drawn_in_training(
                prepared.experiment.training, value->as_string(), prepared.catalog);
            if (!drawn.empty()) {
                problems.warning(
                    value->place(), fmt::format("{}.{}", task.path, declared[i].name),
                    fmt::format("is data of the training, which drew {}: what is measured on these "
                                "says little about new data",
                                drawn));
            }
        }
        const auto* const section = experiment::find_section(prepared.experiment, task.section);
        const auto lost = section == nullptr
                              ? std::nullopt
                              : pipeline::lost_share(prepared.experiment.training, *section, task,
                                                     prepared.catalog);
        if (lost) {
            problems.warning(task.place, task.path, *lost);
        }
    }
}

engine::ProcessRequest process_job(const Given& given, const host::Prepared& prepared,
                                   const Subject& subject) {
    engine::ProcessRequest request{
        {prepared.experiment, *prepared.plan, checkpoint_operand(given, subject)},
        {},
        prepared.processed,
        std::nullopt,
        {}};
    if (given.has("run-dir")) {
        request.folder = given.text("run-dir");
    }
    request.parent = subject.run && !subject.bundle
                         ? *subject.run / "processed"
                         : fs::path("processed") / prepared.experiment.name;
    apply_console_options(given, request, STDOUT_FILENO);
    return request;
}

int process_given(const Given& given) {
    require_one_process("ptprun process");
    const Subject subject = subject_operand(given.operands().front());
    const std::optional<fs::path> checkpoint = checkpoint_operand(given, subject);
    apply_bundle_options(given, subject);
    host::Request request = request_from(given, subject.experiment);
    request.bundle = subject.bundle;
    add_device(given, request);
    request.processed = given.texts("section");
    Diagnostics problems;
    request.uses_search_path = true;  // for what the run did not have, such as exporters
    const host::TrainedWeights weights{subject.run, checkpoint};
    const host::Prepared prepared =
        host::prepare_trained(request, weights, weights.files(), problems);
    if (checkpoint && prepared.plan) {
        warn_of_trained_data(prepared, problems);
    }
    warn_of_run(subject, checkpoint, problems);
    refuse_unread(request.overrides, prepared, "", problems);
    const bool is_missing_data =
        std::ranges::any_of(problems.reported(), &Problem::is_missing_data);
    if (is_missing_data) {  // which can be fetched
        report(problems, prepared, request,
               [&](const std::string& fix) { return whole_fix(kProcess, given, fix); });
    } else {
        show(with_whole_fixes(kProcess, given, problems), prepared.overrides);
    }
    if (!prepared.plan || !problems.ok()) {
        return host::exit_code_for(problems, prepared.catalog);
    }
    engine::RunResult result = host::process_in_engine(process_job(given, prepared, subject));
    complete_fix(result, prepared, request);
    const bool may_lack_targets =
        subject.run && result.error.find("the task of [") != std::string::npos &&
        !has_fix(result.error) && std::ranges::any_of(prepared.plan->tasks, takes_unlabeled);
    if (result.exit_code == kDataError && may_lack_targets) {
        result.error += fmt::format(
            "\n    fix: if these samples have no targets: ptprun predict {} --data FOLDER",
            subject.shown_run().string());
    }
    complete_options(result, kProcess, given, {subject, *prepared.plan});
    return report(result, request.overrides);
}

int run_process(const Given& given) {
    return run_with_whole_fixes(kProcess, given, [&] { return process_given(given); });
}

}  // namespace

Command process_command() {
    Option section = section_option(
        "training, validation, test, or the name of a set of [validation] or of a section of "
        "[process]; may be given several times (default: test, else validation)");
    section.is_repeatable = true;
    return {.name = kProcess,
            .summary = "evaluates sections with the weights of a run",
            .operands = {declared_subject()},
            .options = tools::concat(
                {{section, checkpoint_option(),
                  run_dir_option("where the results go; must be empty or not exist (default: "
                                 "RUN/processed/TIME, or processed/NAME/TIME)"),
                  device_option()},
                 bundle_options(),
                 console_options(),
                 {threads_option()},
                 request_options()}),
            .example = "ptprun process runs/net/20260131_120000 --section test",
            .keeps_results = true,
            .run = run_process};
}

}  // namespace ptp::ptprun
