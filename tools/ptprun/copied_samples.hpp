// Finds sections that measure on samples which the training has, too.

#pragma once

#include "base/diagnostics.hpp"
#include "host/prepare.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// Reads the samples of tables and texts, and returns a warning for each section most of whose
// samples have the content of one of the training: a copy of its file, or rows that are there
// twice. Equal samples are natural where few contents are possible, so that none is returned for a
// training that repeats most of its own. Sections that `problems` warns of already are left out.
std::vector<std::string> warnings_of_copies(const host::Prepared& prepared,
                                            const Diagnostics& problems);

}  // namespace ptp::ptprun
