// A plugin's setting in the terms of the schema, which all declarations of keys have in common.
#pragma once

#include "plugin/manifest.hpp"
#include "schema/key.hpp"

#include <string>

namespace ptp::plugin {

// A default that is not a TOML value is left out; check_settings() reports it.
schema::Key key_of(const Setting& setting);

// "list of integer", "list of real, or one"; of an enumeration its choices: "LSTM | GRU".
std::string type_text(const Setting& setting);

}  // namespace ptp::plugin
