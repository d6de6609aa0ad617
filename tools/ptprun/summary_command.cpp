#include "base/exit_code.hpp"
#include "commands.hpp"
#include "engine_library.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace ptp::ptprun {

int summary_command(const Arguments& arguments) {
    const auto map = parse(arguments, summary_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(summary_options()));
        return kDone;
    }
    Diagnostics problems;
    const Prepared prepared = prepare(subject_request(map, problems), problems);
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan) {
        return code;
    }
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    request.is_summary = true;
    return report(run_in_engine(request));
}

Options summary_options() {
    Options description("Options of summary");
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
