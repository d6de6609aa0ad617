// Converts the description in a loaded plugin's memory to a Manifest.
#pragma once

#include "plugin/manifest.hpp"
#include "plugin/manifest_check.hpp"

#include <ptp/abi.h>

namespace ptp::plugin {

// Copies all declarations of the plugin. Runs none of its code; checks all counts, numbers, texts
// and NULL pointers; other invalid pointers cannot be detected. REQUIRES: info.abi_major ==
// PTP_ABI_MAJOR. Throws ManifestError; the result has passed check().
Manifest from_descriptor(const ptp_plugin_info& info);

}  // namespace ptp::plugin
