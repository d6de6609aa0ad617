// Fixes of data that are not there, for the experiment of a run or a bundle: its files are records,
// which stay as they are.

#pragma once

#include "base/diagnostics.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// Gives all files that such an experiment names and that are missing one fix together, at the last
// problem: "--set training.task.file=FILE --set test.task.file=FILE". Files of the `fetched` keys
// stay as they are: those can be downloaded.
void name_moved_data(std::vector<Problem>& problems, const std::vector<std::string>& fetched = {});

}  // namespace ptp::ptprun
