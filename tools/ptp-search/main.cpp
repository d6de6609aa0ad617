// ptp-search: trains an experiment several times, for `ptprun search`, `ptprun cv`, sweeps and
// --swap-check, whose words follow the name of the command. Each training is a ptprun of its own.

#include "ptp-search/search.hpp"
#include "ptp-search/swap_check.hpp"
#include "ptprun/command_line.hpp"

namespace ptp::search {

using namespace ptprun;

int run_program(const Strings& words) {
    return run_beside_ptprun(
        kSearchProgram,
        {run_by(search_command(), search), run_by(cv_command(), cross_validate),
         run_by(training_command(kSweep), sweep), run_by(training_command(kSwapCheck), swap_check)},
        words);
}

}  // namespace ptp::search

int main(int argc, char** argv) {
    return ptp::search::run_program({argv + 1, argv + argc});
}
