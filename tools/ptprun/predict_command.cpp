// `ptprun predict`: predicts for new data or for a section, and has the engine write the table.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/shell_words.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "common/program.hpp"
#include "host/engine_library.hpp"
#include "pipeline/prediction.hpp"
#include "predict_data.hpp"
#include "predict_items.hpp"
#include "predict_job.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "training_options.hpp"
#include "whole_fixes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

void report_inactive(const pipeline::Prediction& prediction, const engine::PredictRequest& request,
                     const Job& job) {
    if (request.verbosity == engine::Verbosity::kQuiet) {
        return;
    }
    fmt::print(stderr, "{}", text_of_weights(job));
    fmt::print(stderr, "{}", job.note);
    const pipeline::DataScores& scores = job.scores;
    if (!prediction.without_targets.empty()) {
        fmt::print(
            stderr, "{}: {} {} skipped\n{}",
            scores.has_targets ? "these samples are not scored" : "these samples have no targets",
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

// Refuses a name that a reader would take for a file of another format.
void refuse_other_ending(const fs::path& named, bool is_json) {
    constexpr std::array<std::string_view, 6> kOthers = {".xlsx",    ".xls", ".ods",
                                                         ".parquet", ".npy", ".feather"};
    const std::string ending = named.extension().string();
    const bool is_other = std::ranges::find(kOthers, ending) != kOthers.end();
    if (is_other || (is_json && (ending == ".csv" || ending == ".tsv"))) {
        throw UsageError(fmt::format(
            "-o {}: what is written is {}\n    fix: -o {}", named.string(),
            is_json ? "JSON lines" : "CSV, or JSON lines",
            shell_word(fs::path(named).replace_extension(is_json ? ".jsonl" : ".csv").string())));
    }
}

// Copies the options of the output into the request to the engine.
void apply_output_options(const Given& given, const Job& job, engine::PredictRequest& predicted) {
    if (given.has("output") && given.text("output") != kStandardInput) {  // "-": to the output
        const fs::path named = given.text("output");
        predicted.output =
            is_special_file(named) ? named : tools::output_file(named, kPredictionEndings);
    }
    predicted.is_json =
        given.has("json") || job.json_lines != nullptr || is_json_file(given.text("output"));
    refuse_other_ending(given.text("output"), predicted.is_json);
    predicted.items = job.items.items;
    if (job.copy) {  // below it files of a table have their own paths, and those of lines their names
        const fs::path& folder = job.copy->path();
        if (!job.items.table_lines.empty()) {
            predicted.items_table = job.items.data.files.front();
        }
        predicted.items_folder = job.items.table_lines.empty() ? folder / "" : folder;
    }
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

// Returns the exit code; nullopt after a line of JSON has been refused: predict without it.
std::optional<int> predict_without_refused(const Given& given, JsonLines* json_lines) {
    const PreparedJob ready(kPredict, given, json_lines);
    if (!ready.is_ready()) {
        return ready.exit_code();
    }
    engine::PredictRequest predicted{ready.experiment(), ready.plan(), ready.prediction(),
                                     ready.section(), ready.job().checkpoint};
    apply_output_options(given, ready.job(), predicted);
    apply_console_options(given, predicted);
    if (ready.job().copy) {
        predicted.warned = [&](std::string text) {
            name_copies(ready.job(), text);
            return text;
        };
    }
    if (json_lines == nullptr || json_lines->refused.empty()) {
        report_inactive(ready.prediction(), predicted, ready.job());
    }
    engine::RunResult result = host::predict_in_engine(predicted);
    if (json_lines != nullptr && result.exit_code == kDataError &&
        json_lines->refuse(result.error, ready.job().items, ready.job().copy->path())) {
        return std::nullopt;
    }
    return ready.report(std::move(result));
}

int predict_given(const Given& given, JsonLines* json_lines) {
    for (;;) {
        if (const auto code = predict_without_refused(given, json_lines)) {
            return *code;
        }
    }
}

// Writes why no line can be predicted, to --output or the standard output. Returns the exit code.
int report_wrong_lines(const Given& given, const NoGoodItem& none) {
    std::string lines;
    for (std::size_t i = 0; i < none.items.size(); ++i) {
        lines += text_of(Json{{"line", i + 1}, {"error", none.items[i].error}}) + "\n";
    }
    if (given.has("output") && given.text("output") != kStandardInput) {
        replace_file(tools::output_file(given.text("output"), kPredictionEndings), lines);
    } else {
        tools::print(lines);
    }
    const std::string& file = given.text("jsonl");
    const bool is_table = (file.ends_with(".csv") || file.ends_with(".tsv")) &&
                          std::ranges::all_of(none.items, [&](const engine::PredictItem& item) {
                              return item.error.find(kNoJson) != std::string::npos;
                          });
    show_error(fmt::format(
        "--jsonl {}: none of its lines can be predicted{}", file,
        is_table ? "\n    fix: " + whole_fix(kPredict, given, "--data " + shell_word(file)) : ""));
    return kDataError;
}

int run_predict(const Given& given) {
    return run_with_whole_fixes(kPredict, given, [&] {
        std::optional<JsonLines> lines;
        if (given.has("jsonl")) {
            lines = JsonLines{.file = given.text("jsonl"),
                              .lines = lines_of(given.text("jsonl")),
                              .folder = fs::absolute(given.text("jsonl")).parent_path()};
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
         .help =
             "continue each text by N words, each the most likely one after those before it, or "
             "the one that the model's `continuation` begins with, by its own settings",
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
                          .what = "a run folder, a bundle or an experiment file",
                          .completions = {tools::kFiles}}},
            .options = tools::concat({predict_options(),
                                      bundle_options(),
                                      console_options(),
                                      {threads_option()},
                                      request_options()}),
            .example = "ptprun predict runs/net/20260131_120000 --data photos -o predictions.csv",
            .run = run_predict};
}

}  // namespace ptp::ptprun
