// Cross-validation: a request for an experiment that holds a fold out.

#pragma once

#include "config/fold.hpp"
#include "prepare.hpp"

namespace ptp::ptprun {

void hold_out(Request& request, const config::Fold& fold);

}  // namespace ptp::ptprun
