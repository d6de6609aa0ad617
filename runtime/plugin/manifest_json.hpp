// A manifest as JSON: what is in the note of a plugin's file, and what `ptp-inspect --json` prints.
//
// The members are named as in ptp/abi.h, numbers of enumerations are words (plugin/words.hpp), and
// what is empty, absent or false is left out. The order is fixed: equal manifests produce equal
// texts.
#pragma once

#include "plugin/manifest.hpp"
#include "plugin/manifest_error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace ptp::plugin {

// REQUIRES: check(manifest) has found nothing.
nlohmann::ordered_json to_json(const Manifest& manifest);
nlohmann::ordered_json to_json(const Component& component);

// Reads what to_json() writes, and nothing else: an unknown member is an error. The ABI's version
// is read first, because everything else depends on it. Throws ManifestError; what is returned has
// passed check().
Manifest from_json(std::string_view text);

}  // namespace ptp::plugin
