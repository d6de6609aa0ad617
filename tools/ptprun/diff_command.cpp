#include "base/exit_code.hpp"
#include "commands.hpp"
#include "host/prepare.hpp"
#include "run/difference.hpp"
#include "run/read_run.hpp"
#include "run_operand.hpp"
#include "show_error.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdio>
#include <filesystem>

namespace ptp::ptprun {

namespace {

constexpr int kDifferent = 1;  // as for diff

run::Run run_at(const std::string& word) {
    return run::read_run(run_operand(word), run::this_machine());
}

int run_diff(const Given& given) {
    const Strings& folders = given.operands();
    const run::RunDifference difference =
        run::difference_of(run_at(folders[0]), run_at(folders[1]));
    for (const std::string& problem : difference.problems) {
        show_error(problem);
    }
    fmt::print("{}", run::text_of(difference, {folders[0], folders[1]}));
    if (!difference.problems.empty()) {
        return kConfigurationError;
    }
    return difference.is_same() ? kDone : kDifferent;
}

}  // namespace

Command diff_command() {
    return {.name = "diff",
            .summary = "shows how two runs differ (exit code 1)",
            .operands = {declared_run(2, "two run folders")},
            .example = "ptprun diff runs/net/20260131_120000 runs/net/20260131_130000",
            .run = run_diff};
}

}  // namespace ptp::ptprun
