// `ptprun explain-prediction`: has the engine write maps of the pixels that speak for a class, and
// of what a model attends to.

#include "commands.hpp"
#include "engine/explain_request.hpp"
#include "explain_options.hpp"
#include "host/engine_library.hpp"
#include "predict_job.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "training_options.hpp"
#include "whole_fixes.hpp"

#include <fmt/core.h>

#include <unistd.h>

namespace ptp::ptprun {

namespace {

constexpr const char* kExplainPrediction = "explain-prediction";

int explain_given(const Given& given) {
    const experiment::Explanations settings = explanations_from(given);
    const PreparedJob ready(kExplainPrediction, given);
    if (!ready.is_ready()) {
        return ready.exit_code();
    }
    engine::ExplainRequest request{ready.request(), {}, settings};
    request.folder = given.has("output") ? given.text("output") : "explanations";
    apply_console_options(given, request, STDERR_FILENO);
    if (request.verbosity != engine::Verbosity::kQuiet) {
        fmt::print(stderr, "{}", text_of_weights(ready.job()));
    }
    return ready.report(host::explain_in_engine(request));
}

int run_explain_prediction(const Given& given) {
    return run_with_whole_fixes(kExplainPrediction, given, [&] { return explain_given(given); });
}

std::vector<Option> data_options() {
    return {{.name = "data",
             .value = "DATA...",
             .help = "a folder, files, or the name of a section to explain",
             .completions = {kSections, tools::kFiles},
             .is_repeatable = true,
             .takes_several = true},
            {.name = "output,o",
             .value = "FOLDER",
             .help = "a new or empty folder for the maps (default: explanations)",
             .completions = {tools::kFiles}}};
}

std::vector<Option> model_options() {
    return tools::concat(
        {{checkpoint_option()},
         bundle_options(),
         {section_option("whose task reads the files, with its settings (default: test, else "
                         "validation, else training)"),
          device_option()}});
}

}  // namespace

Command explain_prediction_command() {
    return {.name = kExplainPrediction,
            .summary = "draws which pixels decide, and attention",
            .operands = {{.name = "RUN",
                          .what = "a run folder, a bundle or an experiment file",
                          .completions = {tools::kFiles}}},
            .options = tools::concat({data_options(),
                                      explain_options(),
                                      model_options(),
                                      console_options(),
                                      {threads_option()},
                                      request_options()}),
            .example = "ptprun explain-prediction runs/net/20260131_120000 --data photos -o maps",
            .run = run_explain_prediction};
}

}  // namespace ptp::ptprun
