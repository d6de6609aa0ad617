// Converts a plugin's setting to the schema that all declarations of keys share.
#pragma once

#include "plugin/manifest.hpp"
#include "schema/key.hpp"

#include <string>

namespace ptp::plugin {

// A default that is not a TOML value is omitted; check_settings() reports it.
schema::Key key_of(const Setting& setting);

// Returns "list of integer" or "list of real, or one"; for an enumeration its choices: "LSTM |
// GRU".
std::string type_text(const Setting& setting);

}  // namespace ptp::plugin
