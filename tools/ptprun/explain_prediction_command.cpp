// `ptprun explain-prediction`: has the engine write maps of the pixels that speak for a class, and
// of what a model attends to.

#include "base/error.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "common/program.hpp"
#include "engine/explain_request.hpp"
#include "host/engine_library.hpp"
#include "predict_job.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "training_options.hpp"
#include "whole_fixes.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace ptp::ptprun {

namespace {

constexpr const char* kExplainPrediction = "explain-prediction";
constexpr const char* kAll = "all";

Strings known_methods() {
    Strings known(engine::kExplainMethods.begin(), engine::kExplainMethods.end());
    known.emplace_back(engine::kAttentionMethod);
    return known;
}

// Sets the methods in the order of their documents, without --method those that take moments.
void set_methods(engine::ExplainSettings& settings, const Given& given) {
    Strings asked = given.texts("method");
    if (asked.empty()) {
        asked = {"saliency", "integrated_gradients", "grad_cam"};
    }
    const Strings known = known_methods();
    for (const std::string& method : asked) {
        if (method != kAll && !contains(known, method)) {
            throw UsageError(
                fmt::format("--method {}: unknown method{}", method, hint(method, known)));
        }
    }
    for (const char* const method : engine::kExplainMethods) {
        if (contains(asked, method) || contains(asked, kAll)) {
            settings.methods.emplace_back(method);
        }
    }
    settings.needs_attention = contains(asked, engine::kAttentionMethod);
    settings.has_attention = settings.needs_attention || contains(asked, kAll);
}

std::optional<double> real_from(const Given& given, const char* option) {
    if (!given.has(option)) {
        return std::nullopt;
    }
    const std::string text = given.text(option);
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(number)) {
        throw UsageError(fmt::format("--{} {}: must be a number", option, text));
    }
    return number;
}

engine::ExplainSettings settings_from(const Given& given) {
    engine::ExplainSettings settings;
    set_methods(settings, given);
    const std::string preset = given.has("preset") ? given.text("preset") : "paper";
    if (preset != "paper" && preset != "captum") {
        throw UsageError(fmt::format("--preset {}: unknown preset{}", preset,
                                     hint(preset, Strings{"paper", "captum"})));
    }
    settings.is_captum = preset == "captum";
    settings.steps = given.integer("steps");
    settings.samples = given.integer("noisy-copies");
    settings.noise = real_from(given, "noise");
    if (settings.noise && *settings.noise < 0) {
        throw UsageError(fmt::format("--noise {}: must not be negative", given.text("noise")));
    }
    settings.window = given.integer("window");
    settings.stride = given.integer("stride");
    settings.layer = given.text("layer");
    settings.baseline = real_from(given, "baseline").value_or(0);
    settings.copies = given.integer("at-once").value_or(settings.copies);
    settings.seed = static_cast<std::uint64_t>(given.integer("seed").value_or(0));
    settings.is_judged = !given.has("without-check");
    return settings;
}

int explain_given(const Given& given) {
    const engine::ExplainSettings settings = settings_from(given);
    const PreparedJob ready(kExplainPrediction, given);
    if (!ready.is_ready()) {
        return ready.exit_code();
    }
    engine::ExplainRequest request{.experiment = ready.experiment(),
                                   .plan = ready.plan(),
                                   .prediction = ready.prediction(),
                                   .section = ready.section(),
                                   .checkpoint = ready.job().checkpoint,
                                   .settings = settings,
                                   .target = given.text("target"),
                                   .against = given.text("against")};
    if (given.has("classes")) {
        request.classes = given.text("classes");
    }
    request.samples =
        static_cast<std::uint64_t>(given.integer("samples").value_or(std::int64_t{8}));
    request.folder = given.has("output") ? given.text("output") : "explanations";
    apply_console_options(given, request);
    if (request.verbosity != engine::Verbosity::kQuiet) {
        fmt::print(stderr, "{}", text_of_weights(ready.job()));
    }
    return ready.report(host::explain_in_engine(request));
}

int run_explain_prediction(const Given& given) {
    return run_with_whole_fixes(kExplainPrediction, given, [&] { return explain_given(given); });
}

Option count_option(const char* name, const char* value, const char* help) {
    return {.name = name, .value = value, .help = help, .integers = tools::Integers{.min = 1}};
}

std::vector<Option> explain_options() {
    return {
        {.name = "data",
         .value = "DATA...",
         .help = "a folder, files, or the name of a section to explain",
         .completions = {kSections, tools::kFiles},
         .is_repeatable = true,
         .takes_several = true},
        {.name = "method",
         .value = "METHOD...",
         .help = "saliency, input_x_gradient, integrated_gradients, smooth_grad, grad_cam, "
                 "guided_backpropagation, guided_grad_cam, occlusion, meaningful_perturbation, "
                 "attention, which needs no image, or all (default: saliency, "
                 "integrated_gradients and grad_cam)",
         .completions = known_methods(),
         .is_repeatable = true,
         .takes_several = true},
        {.name = "output,o",
         .value = "FOLDER",
         .help = "a new or empty folder for the maps (default: explanations)",
         .completions = {tools::kFiles}},
        {.name = "target",
         .value = "CLASS",
         .help = "explain the score of this class, by name or number (default: the predicted one)"},
        {.name = "against",
         .value = "CLASS",
         .help = "subtract the score of this class: why the one and not the other"},
        count_option("samples", "N", "explain the first N samples (default: 8)"),
        {.name = "preset",
         .value = "NAME",
         .help = "the defaults of the methods: paper (default) or captum",
         .completions = {"paper", "captum"}},
        count_option("steps", "N",
                     "the steps of integrated_gradients (default: 50, doubled until the values sum "
                     "to the score) and of meaningful_perturbation (default: 200)"),
        count_option("noisy-copies", "N",
                     "the noisy copies of smooth_grad (default: 50; captum: 5)"),
        {.name = "noise",
         .value = "DEVIATION",
         .help = "the standard deviation of smooth_grad's noise (default: 0.15 of the range of the "
                 "image; captum: 1)"},
        count_option("window", "PIXELS",
                     "the side of occlusion's window (default: an eighth of the image)"),
        count_option("stride", "PIXELS",
                     "the pixels by which it moves (default: half of it; captum: 1)"),
        {.name = "layer",
         .value = "NAME",
         .help =
             "the operation of grad_cam: model.3.conv2d; for a name that is not there those that "
             "are there are listed (default: the last convolution with more than one place)"},
        {.name = "baseline",
         .value = "NUMBER",
         .help = "the value of a pixel without meaning (default: 0)"},
        count_option("at-once", "N",
                     "the copies of an image that are computed at once, which need memory "
                     "(default: 8)"),
        {.name = "seed",
         .value = "N",
         .help = "of the noise, and of the layer that is drawn anew (default: 0)",
         .integers = tools::Integers{.min = 0}},
        {.name = "without-check",
         .help = "do not compute each map again with the last layer drawn anew"},
        {.name = "classes", .value = "GLOBAL", .help = "the global with the names of the classes"},
        checkpoint_option(),
        self_test_option(),
        section_option("whose task reads the files, with its settings (default: test, else "
                       "validation, else training)"),
        device_option()};
}

}  // namespace

Command explain_prediction_command() {
    return {.name = kExplainPrediction,
            .summary = "draws which pixels speak for a class, and what is attended to",
            .operands = {{.name = "RUN",
                          .what = "a run folder, a bundle or an experiment file",
                          .completions = {tools::kFiles}}},
            .options = tools::concat(
                {explain_options(), console_options(), {threads_option()}, request_options()}),
            .example = "ptprun explain-prediction runs/net/20260131_120000 --data photos -o maps",
            .run = run_explain_prediction};
}

}  // namespace ptp::ptprun
