// Checks the locale of the environment, which ptprun itself does not use.

#pragma once

namespace ptp::ptprun {

// Sets C.UTF-8 for this process and its children if the environment's locale is not installed:
// libraries request it, and throw otherwise; ssh forwards names that the machine may not know. Call
// it first.
void require_known_locale();

}  // namespace ptp::ptprun
