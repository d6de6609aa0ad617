// Cross-validation: the request for an experiment that holds out a fold.

#pragma once

#include "experiment/fold.hpp"
#include "host/prepare.hpp"

namespace ptp::ptprun {

void hold_out(host::Request& request, const experiment::Fold& fold);

}  // namespace ptp::ptprun
