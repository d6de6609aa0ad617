// `ptprun summary`: has the engine create all components, and print their sizes and first samples.
#include "base/exit_code.hpp"
#include "commands.hpp"
#include "downloads.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
#include "report.hpp"
#include "request_options.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace ptp::ptprun {

namespace {

int run_summary(const Given& given) {
    Diagnostics problems;
    const host::Request request = subject_request(given, problems);
    const host::Prepared prepared = host::prepare(request, problems);
    const int code = report(problems, prepared, request);
    if (!prepared.plan) {
        return code;
    }
    engine::RunResult result =
        host::summarize_in_engine({prepared.experiment, *prepared.plan, true});
    advise_fetching(result, prepared, request);
    return report(result);
}

}  // namespace

Command summary_command() {
    return {.name = "summary",
            .summary = "shows what would be trained, and on what",
            .operands = {declared_subject()},
            .options = request_options(),
            .example = "ptprun summary net.toml",
            .run = run_summary};
}

}  // namespace ptp::ptprun
