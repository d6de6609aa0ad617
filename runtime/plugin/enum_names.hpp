// The words for the numbers of a manifest, as manifests, messages and listings write them.
#pragma once

#include "plugin/manifest.hpp"

#include <string_view>

namespace ptp::plugin {

// Empty for a number that is none of the enumeration.
std::string_view to_string(Kind value);
std::string_view to_string(Element value);
std::string_view to_string(SettingType value);
std::string_view to_string(Direction value);
std::string_view to_string(GlobalAccess value);
std::string_view to_string(Aggregation value);

// Sets `value` and returns true if `text` is a word for it.
bool parse(std::string_view text, Kind& value);
bool parse(std::string_view text, Element& value);
bool parse(std::string_view text, SettingType& value);
bool parse(std::string_view text, Direction& value);
bool parse(std::string_view text, GlobalAccess& value);
bool parse(std::string_view text, Aggregation& value);

}  // namespace ptp::plugin
