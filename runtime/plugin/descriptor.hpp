// From the description in a loaded plugin's memory to a Manifest.
#pragma once

#include "plugin/manifest.hpp"
#include "plugin/manifest_error.hpp"

#include <ptp/abi.h>

namespace ptp::plugin {

// Copies everything that the plugin declares. Runs none of its code; trusts no count, no pointer
// that is NULL, number or text; a pointer to nowhere cannot be recognized. REQUIRES:
// info.abi_major == PTP_ABI_MAJOR. Throws ManifestError; what is returned has passed check().
Manifest from_descriptor(const ptp_plugin_info& info);

}  // namespace ptp::plugin
