// ptp-report: writes reports of runs, and draws their curves, for `ptprun report` and
// `ptprun plot`.

#include "ptp-report/report.hpp"
#include "ptprun/command_line.hpp"

int main(int argc, char** argv) {
    using namespace ptp::ptprun;
    return run_beside_ptprun(kReportProgram,
                             {run_by(report_command(), ptp::report::write_report),
                              run_by(plot_command(), ptp::report::plot)},
                             {argv + 1, argv + argc});
}
