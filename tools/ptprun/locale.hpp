// The language of the environment, which ptprun itself does not use.

#pragma once

namespace ptp::ptprun {

// Libraries ask for the environment's locale, and throw if it is not installed: ssh forwards names
// that the machine may not know. This process and its children get C.UTF-8 then. Before anything
// else.
void require_known_locale();

}  // namespace ptp::ptprun
