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

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;

namespace {

void report_inactive(const engine::PredictRequest& request, const Job& job) {
    const pipeline::Prediction& prediction = request.prediction;
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

// Returns whether --output is a file; "-" is the standard output.
bool writes_file(const Given& given) {
    return given.has("output") && given.text("output") != kStandardInput;
}

// Copies the options of the output into the request to the engine.
void apply_output_options(const Given& given, const Job& job, engine::PredictRequest& predicted) {
    if (writes_file(given)) {
        const fs::path named = given.text("output");
        predicted.output =
            is_special_file(named) ? named : tools::output_file(named, kPredictionEndings);
    }
    predicted.is_json =
        given.has("json") || job.json_lines != nullptr || is_json_file(given.text("output"));
    refuse_other_ending(given.text("output"), predicted.is_json);
    predicted.items = job.items.items;
    if (job.copy) {
        const fs::path& folder = job.copy->path();
        predicted.items_folder = folder;
        predicted.item_names = job.items.table_lines.empty()
                                   ? (folder / kFileOfLine).string()
                                   : job.items.data.files.front().string() + ":";
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
    PreparedJob ready(kPredict, given, json_lines);
    if (!ready.is_ready()) {
        return ready.exit_code();
    }
    engine::PredictRequest predicted{ready.request(), {}};
    apply_output_options(given, ready.job(), predicted);
    // A table may go to the standard output, so that all other output goes to the standard error.
    apply_console_options(given, predicted, STDERR_FILENO);
    if (ready.job().copy) {
        predicted.warned = [&](std::string text) {
            name_copies(ready.job(), text);
            return text;
        };
    }
    if (json_lines == nullptr || json_lines->refused.empty()) {
        report_inactive(predicted, ready.job());
    }
    const std::size_t first = json_lines == nullptr ? 0 : json_lines->first;
    if (json_lines != nullptr && json_lines->is_streamed) {
        predicted.items_before = first;
        predicted.next_items =
            [&ready, recorded = recorded_globals(ready.job())](const std::string& refusal) {
                return ready.next_items(refusal, recorded);
            };
    }
    engine::RunResult result = host::predict_in_engine(predicted);
    if (json_lines != nullptr && result.exit_code == kDataError && json_lines->first == first &&
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

// Writes why no line can be predicted, to --output or the standard output.
void write_errors(const Given& given, const NoGoodItem& none, std::size_t before) {
    std::string lines;
    for (std::size_t i = 0; i < none.items.size(); ++i) {
        lines += text_of(Json{{"line", before + i + 1}, {"error", none.items[i].error}}) + "\n";
    }
    if (writes_file(given)) {
        replace_file(tools::output_file(given.text("output"), kPredictionEndings), lines);
    } else {
        tools::print(lines);
        std::fflush(stdout);
    }
}

// Returns the exit code.
int report_wrong_lines(const Given& given, const NoGoodItem& none) {
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

// Returns the lines of --jsonl, if it is given: those that are there, where they are answered as
// they come.
std::optional<JsonLines> json_lines_of(const Given& given) {
    if (!given.has("jsonl")) {
        return std::nullopt;
    }
    const std::string& file = given.text("jsonl");
    JsonLines lines{.file = file, .lines = {}, .folder = fs::absolute(file).parent_path()};
    lines.is_streamed = file == kStandardInput && !writes_file(given);
    if (!lines.is_streamed) {
        lines.lines = lines_of(file);
    } else if (!lines.read_next(false)) {
        refuse_without_lines(file);
    }
    return lines;
}

int run_predict(const Given& given) {
    return run_with_whole_fixes(kPredict, given, [&] {
        std::optional<JsonLines> lines = json_lines_of(given);
        for (;;) {
            try {
                return predict_given(given, lines ? &*lines : nullptr);
            } catch (const NoGoodItem& none) {
                write_errors(given, none, lines->first);
                if (!lines->is_streamed || !lines->read_next(false)) {
                    return report_wrong_lines(given, none);
                }
            }
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
                 "line for each, with an error where it is wrong; -: the standard input, whose "
                 "lines are answered as they come, unless --output is a file",
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
