// A plugin's setting in the terms of the schema, which all declarations of keys have in common.
#pragma once

#include "plugin/manifest.hpp"
#include "schema/key.hpp"

namespace ptp::plugin {

// A default that is not a TOML value is left out; check_settings() reports it.
schema::Key key_of(const Setting& setting);

}  // namespace ptp::plugin
