// ptp-runs: lists and compares runs, for `ptprun runs` and `ptprun diff`.

#include "ptp-runs/difference.hpp"
#include "ptp-runs/runs_view.hpp"
#include "ptprun/command_line.hpp"

namespace ptp::runs {

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
