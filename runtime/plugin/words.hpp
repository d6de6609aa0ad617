// The words for the numbers of a manifest, as manifests, messages and listings write them.
#pragma once

#include "plugin/manifest.hpp"

#include <string_view>

namespace ptp::plugin {

// Empty for a number that is none of the enumeration.
std::string_view word(Kind value);
std::string_view word(Element value);
std::string_view word(SettingType value);
std::string_view word(Direction value);
std::string_view word(GlobalAccess value);
std::string_view word(Aggregation value);

// Sets `value` and returns true if `text` is a word for it.
bool from_word(std::string_view text, Kind& value);
bool from_word(std::string_view text, Element& value);
bool from_word(std::string_view text, SettingType& value);
bool from_word(std::string_view text, Direction& value);
bool from_word(std::string_view text, GlobalAccess& value);
bool from_word(std::string_view text, Aggregation& value);

}  // namespace ptp::plugin
