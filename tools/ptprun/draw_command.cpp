// `ptprun draw`: shows a pipeline as text or as a picture, both made in pipeline/draw.
#include "base/exit_code.hpp"
#include "commands.hpp"
#include "downloads.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "picture_file.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"
#include "sweep_points.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

namespace {

int run_draw(const Given& given) {
    const PictureTarget target = picture_target(given.text("format"), given);
    const bool is_counted = given.has("parameters");
    Diagnostics problems;
    const host::Request request = subject_request(given, problems);
    refuse_sweep(request);
    const host::Prepared prepared = host::prepare(
        request, problems,
        is_counted ? pipeline::NeededFiles::kWithoutWeights : pipeline::NeededFiles::kIgnored);
    const int code = report(problems, prepared, request);
    if (!prepared.plan) {
        return code;
    }
    engine::RunResult counted;
    if (is_counted) {
        counted = host::summarize_in_engine({prepared.experiment, *prepared.plan});
        advise_fetching(counted, prepared, request);
        if (counted.exit_code != kDone) {
            return report(counted);
        }
    }
    write_picture(pipeline::picture_of(*prepared.plan, counted.parameters), target);
    return code;
}

}  // namespace

Command draw_command() {
    return {.name = "draw",
            .summary = "shows the pipeline as text or as a picture",
            .operands = {declared_subject()},
            .options =
                tools::concat({{{.name = "format",
                                 .value = "FORMAT",
                                 .help = "text (the default), dot (for Graphviz), svg, png or pdf",
                                 .completions = {"text", "dot", "svg", "png", "pdf"}},
                                {.name = "output,o",
                                 .value = "FILE",
                                 .help = "write the picture to FILE, in the format of its name: "
                                         "pipeline.svg",
                                 .completions = {tools::kFiles}},
                                {.name = "parameters",
                                 .help = "create the components, and show the number of their "
                                         "parameters; needs the data"}},
                               request_options()}),
            .example = "ptprun draw net.toml --format svg > net.svg",
            .run = run_draw};
}

}  // namespace ptp::ptprun
