#include "base/exit_code.hpp"
#include "commands.hpp"
#include "prepare.hpp"
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

constexpr int kDifferent = 1;  // as diff has it

run::Run run_at(const std::string& word) {
    return run::read_run(run_operand(word), run::this_machine());
}

}  // namespace

int diff_command(const Arguments& arguments) {
    const auto [map, folders] =
        parse_words(arguments, diff_options(), {2, 2, "two run folders are needed"});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(diff_options()));
        return kDone;
    }
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

Options diff_options() {
    Options description("Options of diff");
    description.add_options()("help,h", "show this help");
    return description;
}

}  // namespace ptp::ptprun
