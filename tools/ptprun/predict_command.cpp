// `ptprun predict`: chooses the section whose task reads the new data, changes its settings to read
// them, and has the engine write the predictions.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "common/program.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "host/section_names.hpp"
#include "pipeline/prediction.hpp"
#include "pipeline/task_data.hpp"
#include "predict_data.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run_operand.hpp"
#include "training_options.hpp"
#include "unread_settings.hpp"
#include "whole_fixes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPredict = "predict";

Job job_from(const Given& given, JsonLines* json_lines) {
    Job job;
    job.name = given.operands().front();
    job.subject = subject_operand(job.name);
    job.checkpoint = checkpoint_operand(given, job.subject);
    job.section = given.text("section");
    job.words = given.texts("data");
    job.texts = given.texts("text");
    job.is_continued = given.has("continue");
    job.json_lines = json_lines;
    if (job.words.empty() && job.texts.empty() && json_lines == nullptr) {
        throw UsageError(
            "--data or --text is needed: files, a folder or the name of a section, or a text");
    }
    return job;
}

// Returns whether a section is predicted, and not files.
bool is_section(const Job& job, const experiment::Experiment& experiment) {
    constexpr std::array<std::string_view, 3> kCommon = {"training", "validation", "test"};
    if (job.words.size() != 1) {
        return false;
    }
    const std::string& word = job.words.front();
    return (contains(kCommon, word) || !host::sections_named(word, experiment).empty());
}

// A section with the task of [training], which itself stays as it is: the other components take
// from it what follows from its targets and classes.
void predict_beside_training(Job& job, experiment::Experiment& experiment) {
    experiment.test = experiment::Section(experiment.training);
    experiment.test->name = "test";
    job.section = experiment.test->name;
    job.written = experiment.training.name;
}

// The globals of the run, among them the names of its classes; an empty table without a run.
Value recorded_globals(const Job& job) {
    return job.checkpoint ? run::read_checkpoint_record(*job.checkpoint).globals : Value::table();
}

// Reports what --set has for the task where the data that are predicted take its place.
void refuse_replaced(const experiment::TaskEntry& asked, const experiment::TaskEntry& task,
                     const Job& job, const std::string& option, Diagnostics& problems) {
    for (const Member& setting : asked.settings.members()) {
        const Value* now = task.settings.find(setting.key);
        if (setting.value.place().file() == kCommandLine &&
            (now == nullptr || *now != setting.value)) {
            const std::string section = job.written.empty() ? job.section : job.written;
            problems.error(
                setting.value.place(),
                section.empty() ? setting.key : fmt::format("{}.task.{}", section, setting.key),
                Explanation{fmt::format("has no effect: {} has what is predicted", option),
                            section.empty() ? "leave it out"
                                            : fmt::format("leave it out; --data {} "
                                                          "predicts the section",
                                                          section)});
        }
    }
}

// Sets the data of the section's task. A section that the experiment does not have is reported
// later.
void set_data(Job& job, experiment::Experiment& experiment, const plugin::Catalog& catalog,
              Diagnostics& problems) {
    Strings names = job.section.empty() ? Strings{host::default_section(experiment)}
                                        : host::sections_named(job.section, experiment);
    const experiment::Experiment written = experiment;  // without a section that is added here
    if (names == Strings{experiment.training.name}) {
        predict_beside_training(job, experiment);
        names = {job.section};
    }
    const auto sections = experiment::all_sections(experiment);
    const auto section =
        std::ranges::find(sections, names.empty() ? "" : names.front(), &experiment::Section::name);
    if (names.size() != 1 || section == sections.end()) {
        return;
    }
    const auto data = data_of(job, written, **section, catalog, problems);
    for (const fs::path& file : data.files) {
        const std::string drawn = pipeline::drawn_in_training(experiment.training, file, catalog);
        if (!drawn.empty() && job.note.empty() && job.json_lines == nullptr) {
            job.note = fmt::format(
                "{} is data of the training, which drew {}: how well these are predicted says "
                "nothing of others\n",
                job.copy ? "the standard input" : file.string(), drawn);
        }
    }
    job.texts = data.texts;
    const experiment::TaskEntry asked = (*section)->task;
    if (problems.ok() && data.files.size() == 1 && job.json_lines == nullptr) {
        job.scores = pipeline::give_with_targets(**section, data.files.front(),
                                                 recorded_globals(job), catalog);
    }
    if (problems.ok() && !job.scores.is_scored) {
        pipeline::give_unlabeled(**section, data, catalog, problems);
        if (!data.texts.empty()) {
            (*section)->task.batch_size = 1;  // so that what is written of a text has no padding
        }
    }
    refuse_replaced(asked, (*section)->task, job, data.option, problems);
}

// Takes the word as the name of a section. Refuses one that the experiment does not have, and
// advises "./NAME" if a file or folder has this name.
void choose_section(Job& job, const experiment::Experiment& experiment) {
    const std::string word = std::exchange(job.words, {}).front();
    std::error_code ignored;
    const bool is_path = fs::exists(word, ignored);
    if (host::sections_named(word, experiment).empty()) {
        throw UsageError(fmt::format(
            "--data {0}: the experiment has no such section{1}; known: {2}{3}", word,
            is_path ? "" : ", and here is no file or folder of this name",
            join(host::section_names(experiment), ", "),
            is_path ? "\n    fix: --data ./" + word + " predicts for what is in the current folder"
                    : ""));
    }
    if (is_path) {
        job.note = fmt::format(
            "--data {0} is the section of the experiment; the {1} of this name is --data ./{0}\n",
            word, fs::is_directory(word, ignored) ? "folder" : "file");
    }
    job.section = word;
}

// Chooses the section, and sets the data of its task.
void adapt(Job& job, host::Request& request) {
    request.change = [](experiment::Experiment& experiment, Diagnostics&) {
        host::allow_missing_inputs(experiment);
    };
    request.adapt = [&job, &request](experiment::Experiment& experiment,
                                     const plugin::Catalog& catalog, Diagnostics& problems) {
        if (!is_section(job, experiment)) {
            set_data(job, experiment, catalog, problems);
        } else if (job.section.empty()) {
            choose_section(job, experiment);
            request.section_option = "--data";
        } else {
            throw UsageError(
                fmt::format("--section goes with files and folders; --data {0} is the section "
                            "itself, and --data ./{0} a folder or file of this name",
                            job.words.front()));
        }
        if (!job.section.empty()) {
            request.processed = {job.section};
        }
    };
}

// Returns "weights of runs/net/20260131_120000, epoch 7 (best)"; of a checkpoint that is not the
// run's, its folder. An experiment without a checkpoint has those that it loads.
std::string text_of_weights(const Job& job) {
    if (!job.checkpoint) {
        return "";
    }
    const fs::path& checkpoint = *job.checkpoint;
    const bool is_of_run =
        job.subject.run && checkpoint.parent_path() == *job.subject.run / run::kCheckpointsFolder;
    const run::Measurement measured = run::read_checkpoint_record(checkpoint).measured;
    return fmt::format(
        "weights of {}{}{}\n", is_of_run ? job.subject.shown_run().string() : checkpoint.string(),
        measured.epoch > 0 ? fmt::format(", epoch {}", measured.epoch) : "",
        is_of_run && !job.subject.bundle ? fmt::format(" ({})", checkpoint.filename().string())
                                         : "");
}

void report_inactive(const pipeline::Prediction& prediction, const engine::PredictRequest& request,
                     const Job& job) {
    if (request.verbosity == engine::Verbosity::kQuiet) {
        return;
    }
    fmt::print(stderr, "{}", text_of_weights(job));
    fmt::print(stderr, "{}", job.note);
    const pipeline::DataScores& scores = job.scores;
    if (!prediction.without_targets.empty()) {
        fmt::print(stderr, "{}: {} {} skipped\n{}",
                   scores.has_targets ? "the targets of these samples are left out"
                                      : "these samples have no targets",
                   joined(prediction.without_targets),
                   prediction.without_targets.size() == 1 ? "is" : "are",
                   scores.reason.empty() ? "" : fmt::format("    {}\n", scores.reason));
    }
    if (!scores.note.empty()) {
        fmt::print(stderr, "{}\n", scores.note);
    }
    if (!prediction.not_needed.empty() && request.verbosity == engine::Verbosity::kVerbose) {
        fmt::print(stderr, "not needed to predict: {}\n", joined(prediction.not_needed));
    }
}

// Returns whether the name is that of a file with JSON.
bool is_json_file(const fs::path& file) {
    constexpr std::array<std::string_view, 3> kEndings = {".json", ".jsonl", ".ndjson"};
    return std::ranges::find(kEndings, file.extension().string()) != kEndings.end();
}

// Copies the options of the output into the request to the engine.
void apply_output_options(const Given& given, const Job& job, engine::PredictRequest& predicted) {
    if (given.has("output") && given.text("output") != kStandardInput) {  // "-": to the output
        const fs::path named = given.text("output");
        predicted.output = is_special_file(named) ? named : tools::output_file(named);
    }
    predicted.is_json =
        given.has("json") || job.json_lines != nullptr || is_json_file(given.text("output"));
    predicted.items = job.items;
    predicted.items_folder = job.copy ? job.copy->path() : fs::path();
    predicted.top_k = given.integer("top-k").value_or(1);
    if (given.has("worst")) {
        predicted.worst = static_cast<std::uint64_t>(*given.integer("worst"));
    }
    if (given.has("continue")) {
        if (job.texts.empty()) {
            throw UsageError(
                "--continue needs texts: --text TEXT, or --data - with a text in each line");
        }
        predicted.continued = job.texts;
        predicted.continued_by = static_cast<std::uint64_t>(*given.integer("continue"));
    }
    if (given.has("classes")) {
        predicted.classes = given.text("classes");
    }
}

int predict_given(const Given& given, JsonLines* json_lines) {
    require_one_process("ptprun predict");
    Job job = job_from(given, json_lines);
    host::Request request = request_from(given);
    request.file = job.subject.experiment;
    add_device(given, request);
    request.processed = Strings();
    adapt(job, request);
    Diagnostics problems;
    // Files that the experiment loads must be there where no checkpoint is.
    auto [prepared, prediction] = host::prepare_prediction(
        request, {job.subject.run, job.checkpoint}, given.texts("stream"),
        job.checkpoint ? pipeline::NeededFiles::kWithoutWeights : pipeline::NeededFiles::kChecked,
        problems);
    warn_of_changed_run(job.subject, problems);
    refuse_unread(request.overrides, prepared, job.written, problems);
    show(with_whole_fixes(kPredict, given, problems));
    if (!prepared.plan || !problems.ok()) {
        return host::exit_code_for(problems, prepared.catalog);
    }
    const std::string& section = prepared.processed.front();
    engine::PredictRequest predicted{prepared.experiment, *prepared.plan, *prediction, section,
                                     job.checkpoint};
    apply_output_options(given, job, predicted);
    apply_console_options(given, predicted);
    if (json_lines == nullptr || json_lines->refused.empty()) {
        report_inactive(*prediction, predicted, job);
    }
    engine::RunResult result = host::predict_in_engine(predicted);
    if (json_lines != nullptr && result.exit_code == kDataError &&
        json_lines->refuse(result.error)) {
        return predict_given(given, json_lines);  // without that line
    }
    if (result.exit_code == kDataError && !job.words.empty() &&
        job.words != Strings{kStandardInput}) {
        result.error += pipeline::unlabeled_advice(*prepared.plan, section, prepared.catalog);
    }
    if (job.copy && job.json_lines == nullptr) {
        name_standard_input(job.copy->path(), result.error);
    }
    result.error =
        with_options(result.error, (job.written.empty() ? section : job.written) + ".task");
    result.error = with_whole_fixes(kPredict, given, result.error);
    return report(result);
}

int run_predict(const Given& given) {
    return run_with_whole_fixes(kPredict, given, [&] {
        std::optional<JsonLines> lines;
        if (given.has("jsonl")) {
            lines = JsonLines{lines_of(given.text("jsonl")), {}};
        }
        try {
            return predict_given(given, lines ? &*lines : nullptr);
        } catch (const NoGoodItem& none) {
            return report_wrong_lines(given, none);
        }
    });
}

std::vector<Option> predict_options() {
    return {
        {.name = "data",
         .value = "DATA...",
         .help = "a folder, files, or the name of a section to predict; -: the standard input",
         .completions = {kSections, tools::kFiles},
         .is_repeatable = true,
         .takes_several = true,
         .excludes = {"text", "jsonl"}},
        {.name = "jsonl",
         .value = "FILE",
         .help = "predict for each line of JSON by itself, a text, a row or an image, and write a "
                 "line for each, with an error where it is wrong; -: the standard input",
         .completions = {tools::kFiles},
         .excludes = {"text", "worst", "continue"}},
        {.name = "text",
         .value = "TEXT",
         .help = "a text to predict for; may be given several times",
         .is_repeatable = true},
        {.name = "continue",
         .value = "N",
         .help = "continue each text by N words, each the most likely one after those before it",
         .integers = tools::Integers{.min = 1},
         .excludes = {"worst", "top-k"}},
        {.name = "output,o",
         .value = "FILE",
         .help = "write the table to FILE (default: the standard output), as JSON lines if its "
                 "name ends with .json, .jsonl or .ndjson",
         .completions = {tools::kFiles}},
        {.name = "json", .help = "write JSON lines instead of CSV"},
        {.name = "top-k",
         .value = "N",
         .help = "the N most likely classes with their scores (default: 1)",
         .integers = tools::Integers{.min = 1}},
        {.name = "worst",
         .value = "N",
         .help = "only the N samples with the highest loss, the worst first",
         .integers = tools::Integers{.min = 1}},
        {.name = "stream",
         .value = "NAME",
         .help = "the stream to predict; may be given several times (default: those that the "
                 "losses read)",
         .is_repeatable = true},
        {.name = "classes", .value = "GLOBAL", .help = "the global with the names of the classes"},
        checkpoint_option(),
        section_option("whose task reads the files, with its settings (default: test, else "
                       "validation, else training)"),
        device_option()};
}

}  // namespace

Command predict_command() {
    return {.name = kPredict,
            .summary = "predicts for files, texts or a section",
            .operands = {{.name = "RUN",
                          .what = "a run folder or an experiment file",
                          .completions = {tools::kFiles}}},
            .options = tools::concat(
                {predict_options(), console_options(), {threads_option()}, request_options()}),
            .example = "ptprun predict runs/net/20260131_120000 --data photos -o predictions.csv",
            .run = run_predict};
}

}  // namespace ptp::ptprun
