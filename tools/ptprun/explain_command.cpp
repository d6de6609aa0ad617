// `ptprun explain`, which shows where a value comes from, and `ptprun schema`.

#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/paths.hpp"
#include "commands.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "experiment/possible_keys.hpp"
#include "host/prepare.hpp"
#include "reference/explain.hpp"
#include "reference/schema.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run/journal.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <variant>

namespace ptp::ptprun {

namespace {

int run_schema(const Given& given) {
    const plugin::Catalog catalog = host::find_plugins({.file = {},
                                                        .overrides = {},
                                                        .plugins = paths_from(given, "plugins"),
                                                        .is_safe = given.has("safe-mode")},
                                                       {});
    for (const plugin::RejectedFile& file : catalog.rejected) {
        show({Severity::kWarning, SourceLocation(file.path.string(), 0, 0), "", "", file.reason});
    }
    const auto scope =
        given.has("part") ? reference::SchemaScope::kPart : reference::SchemaScope::kWhole;
    fmt::print("{}\n", text_of(reference::experiment_schema(catalog, scope), 2));
    return kDone;
}

reference::KeyPath key_from(const Given& given) {
    if (given.operands().size() < 2) {
        return {};
    }
    const std::string& text = given.operands()[1];
    const auto path = experiment::read_key_path(text);
    if (!path) {
        throw UsageError(fmt::format("'{}' is not a key, such as training.optimizer.lr", text));
    }
    return *path;
}

int print_explanation(const reference::Explanation& explanation, const std::string& file,
                      bool is_json) {
    if (const auto* none = std::get_if<reference::UnknownKey>(&explanation)) {
        show({Severity::kError, SourceLocation(file, 0, 0), "", "", none->why});
        return kConfigurationError;
    }
    const auto print = [is_json](const auto& known) {
        fmt::print("{}",
                   bundle::with_bundles_named(is_json ? text_of(provenance_json(known), 2) + "\n"
                                                      : provenance_text(known)));
    };
    if (const auto* value = std::get_if<reference::ValueProvenance>(&explanation)) {
        print(*value);
    }
    if (const auto* table = std::get_if<reference::TableProvenance>(&explanation)) {
        print(*table);
    }
    return kDone;
}

// Returns whether the value is a learning rate, of all weights or of some.
bool is_rate(const reference::ValueProvenance& value) {
    return value.key == "training.optimizer.lr" ||
           (value.key.starts_with("training.optimizer.groups.") && value.key.ends_with(".lr"));
}

// Returns whether a rate, a table that has it, or everything was asked for.
bool has_rate(const reference::Explanation& explanation) {
    const auto* const value = std::get_if<reference::ValueProvenance>(&explanation);
    const auto* const table = std::get_if<reference::TableProvenance>(&explanation);
    return (value != nullptr && is_rate(*value)) ||
           (table != nullptr && std::ranges::any_of(table->values, is_rate));
}

// Names what `ptprun control` has changed of a run, which its experiment does not have.
void say_rate_changes(const std::string& word) {
    const Subject subject = subject_operand(word);
    if (!subject.run) {
        return;
    }
    for (const run::RateChange& change : run::rate_changes(*subject.run)) {
        fmt::print(stderr, "{}\n", text_of(change));
    }
}

// Explains a value even if the experiment has errors, which `ptprun check` reports: a user asks
// where a value comes from because something is wrong.
int run_explain(const Given& given) {
    Diagnostics of_run;
    const host::Request request = subject_request(given, of_run);
    for (const Problem& problem : of_run.sorted()) {
        if (problem.severity == Severity::kWarning) {
            show(problem);
        }
    }
    Diagnostics not_asked_for;
    refuse_sweep(request);
    const reference::KeyPath key = key_from(given);
    Diagnostics problems;
    experiment::Layers layers;
    const auto tree = experiment::load_experiment(
        {request.file, request.overrides, home_folder(), request.text, request.over}, problems,
        &layers);
    if (!tree) {
        return report(problems, {}, request.overrides);
    }
    const experiment::Experiment experiment = experiment::read_experiment(
        *tree, {.default_name = "", .home = home_folder()}, not_asked_for);
    const plugin::Catalog catalog = host::find_plugins(request, experiment);
    const schema::KeyRecord keys =
        experiment::possible_keys(*tree, std::filesystem::path(request.file).stem().string());
    const reference::Explanation explanation =
        reference::explain(key, layers, {*tree, keys, catalog});
    const int code = print_explanation(explanation, request.file, given.has("json"));
    if (!request.text && has_rate(explanation)) {
        say_rate_changes(given.operands().front());
    }
    return code;
}

}  // namespace

Command schema_command() {
    return {.name = "schema",
            .summary = "prints a JSON schema of experiments",
            .options = {{.name = "part",
                         .help = "for files that include others or are included: nothing is "
                                 "required"},
                        plugins_option(),
                        safe_mode_option()},
            .example = "ptprun schema > experiment.schema.json",
            .run = run_schema};
}

Command explain_command() {
    return {.name = "explain",
            .summary = "shows where a value comes from",
            .details = kTakesInput,
            .operands = {declared_subject(),
                         {.name = "KEY", .what = "a key", .min = 0, .completions = {kKeys}}},
            .options = tools::concat(
                {{{.name = "json", .help = "print a JSON object"}}, subject_options()}),
            .example = "ptprun explain net.toml training.optimizer.lr",
            .run = run_explain};
}

}  // namespace ptp::ptprun
