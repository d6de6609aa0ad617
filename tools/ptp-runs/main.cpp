// ptp-runs: lists and compares runs, for `ptprun runs` and `ptprun diff`.

#include "base/exit_code.hpp"
#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "ptp-runs/difference.hpp"
#include "ptp-runs/runs_view.hpp"
#include "ptprun/command_line.hpp"
#include "ptprun/commands.hpp"
#include "ptprun/run_operand.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptp::runs {

namespace {

using namespace ptprun;

namespace fs = std::filesystem;

struct Found {
    std::vector<run::Run> runs;
    std::size_t trials = 0;  // number of omitted trials
};

// Returns all runs; trials only if they are requested or named.
Found all_runs(const Strings& folders, bool are_named, bool with_trials) {
    const run::Machine machine = run::this_machine();
    Found found;
    for (const std::string& word : folders) {
        const fs::path folder = folder_operand(word);
        if (!fs::is_directory(folder)) {
            if (!are_named && !fs::exists(folder)) {
                continue;  // no run has been made yet
            }
            throw UsageError(
                Explanation{fmt::format("{}: is not a folder; without a name all in {} are listed",
                                        word, run::runs_root().string()),
                            "ptprun runs"}
                    .text());
        }
        for (run::Run& run : run::find_runs(folder.lexically_normal(), machine)) {
            if (run.is_trial() && !with_trials && !run::is_run(folder)) {
                ++found.trials;
            } else {
                found.runs.push_back(std::move(run));
            }
        }
    }
    return found;
}

int list_runs(const Given& given) {
    const Strings folders =
        given.operands().empty() ? Strings{run::runs_root().string()} : given.operands();
    Found found = all_runs(folders, !given.operands().empty(), given.has("trials"));
    if (found.runs.empty() && found.trials == 0) {
        fmt::print(stderr, "no runs in {}\n", joined(folders));
    }
    print_runs(std::move(found.runs), joined(folders), given);
    if (found.trials > 0) {
        fmt::print(
            stderr, "{} left out (--overfit, --fast-dev-run, find-lr); --trials lists {} too\n",
            found.trials == 1 ? "1 trial run is" : fmt::format("{} trial runs are", found.trials),
            found.trials == 1 ? "it" : "them");
    }
    return kDone;
}

}  // namespace

using namespace ptprun;

int run_program(const Strings& words) {
    return run_beside_ptprun(
        kRunsProgram, {run_by(runs_command(), list_runs), run_by(diff_command(), show_difference)},
        words);
}

}  // namespace ptp::runs

int main(int argc, char** argv) {
    return ptp::runs::run_program({argv + 1, argv + argc});
}
