// A manifest as JSON: the content of the note in a plugin's file, and the output of `ptp-inspect
// --json`.
//
// The members are named as in ptp/abi.h, enumerations are words (plugin/enum_names.hpp), and empty,
// absent or false members are omitted. The order is fixed: equal manifests produce equal texts.
#pragma once

#include "plugin/manifest.hpp"
#include "plugin/manifest_check.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace ptp::plugin {

// An enumeration that check() would refuse becomes an empty text.
nlohmann::ordered_json to_json(const Manifest& manifest);
nlohmann::ordered_json to_json(const Component& component);

// Reads exactly the output of to_json(): an unknown member is an error. The ABI's version is read
// first, because all else depends on it. Throws ManifestError; the result has passed check().
Manifest from_json(std::string_view text);

struct Difference {
    std::string field;  // "GoodModel.settings.dropout.default_value"
    std::string left;   // as JSON, or "nothing"; shortened
    std::string right;
};

// Returns the first difference in the order of the manifest, for messages; nullopt if they are
// equal.
std::optional<Difference> first_difference(const Manifest& left, const Manifest& right);

}  // namespace ptp::plugin
