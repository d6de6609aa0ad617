// Paths of keys, as messages and --set write them.

#pragma once

#include <string>
#include <string_view>

namespace ptp::schema {

// "a.b", or "b" where the path is empty; keys that are not bare are quoted.
std::string below(const std::string& path, std::string_view key);

}  // namespace ptp::schema
