// Cross-validation: a request for an experiment that holds a fold out.

#pragma once

#include "experiment/fold.hpp"
#include "host/prepare.hpp"

namespace ptp::ptprun {

void hold_out(host::Request& request, const experiment::Fold& fold);

}  // namespace ptp::ptprun
