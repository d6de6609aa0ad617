// ptp-search: trains an experiment several times, for `ptprun search`, `ptprun cv`, sweeps and
// --swap-check, whose words follow the name of the command. Each training is a ptprun of its own.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/system_file.hpp"
#include "common/color_option.hpp"
#include "ptp-search/search.hpp"
#include "ptp-search/swap_check.hpp"
#include "ptp-search/sweep.hpp"
#include "ptprun/process_options.hpp"
#include "ptprun/search_options.hpp"
#include "ptprun/show_error.hpp"

#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace ptp::search {

using namespace ptprun;

namespace {

int run_command(const Command& command, const Strings& words, int (*run)(const Given&)) {
    try {
        const Given given = tools::parse(command, words);
        if (given.has("help")) {
            fmt::print("{}", tools::help_of(command, kProgram));
            return kDone;
        }
        use_threads(given);
        return run(given);
    } catch (const UsageError& error) {
        show_usage_error(error.what(), command.name == kSweep ? "run" : command.name);
        return kConfigurationError;
    }
}

int dispatch(Strings words) {
    tools::take_color_option(words);
    const std::string name = words.empty() ? "" : words.front();
    const Strings rest(words.begin() + (words.empty() ? 0 : 1), words.end());
    if (name == "search") {
        return run_command(search_command(), rest, search);
    }
    if (name == "cv") {
        return run_command(cv_command(), rest, cross_validate);
    }
    if (name == kSweep || name == kSwapCheck) {
        return run_command(sweep_command(), rest, name == kSweep ? sweep : swap_check);
    }
    const bool is_help = name == "--help" || name == "-h";
    fmt::print(is_help ? stdout : stderr,
               "usage: ptp-search search|cv|sweep|swap-check EXPERIMENT.toml [OPTION]...\n\n"
               "ptprun search, ptprun cv, ptprun with several values of one --set and ptprun "
               "--swap-check start it.\n");
    return is_help ? kDone : kConfigurationError;
}

}  // namespace

int run_program(const Strings& words) {
    system::report_size_limit();
    try {
        return dispatch(words);
    } catch (const RunError& error) {
        show_error(error.what());
        return error.code();
    } catch (const std::exception& error) {
        show_error(error.what());
        return kTrainingError;
    }
}

}  // namespace ptp::search

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    return ptp::search::run_program({argv + 1, argv + argc});
}
