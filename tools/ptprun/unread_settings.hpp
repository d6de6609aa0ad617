// Values of --set that a command which trains nothing does not read.

#pragma once

#include "base/diagnostics.hpp"
#include "host/prepare.hpp"

#include <string>
#include <vector>

namespace ptp::ptprun {

// Reports each value for a section that is not evaluated, or for the training itself, which would
// have no effect. `also_read` is a section whose values are read, too; "": none. Reports nothing
// without a plan.
void refuse_unread(const std::vector<std::string>& overrides, const host::Prepared& prepared,
                   const std::string& also_read, Diagnostics& problems);

}  // namespace ptp::ptprun
