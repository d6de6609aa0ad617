// The terminal that the standard output goes to, if it does.

#pragma once

#include <cstddef>
#include <optional>

namespace ptp::ptprun {

// In characters; nullopt when the output goes elsewhere. COLUMNS decides where it is set.
std::optional<std::size_t> terminal_width();

}  // namespace ptp::ptprun
