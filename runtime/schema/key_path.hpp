// Paths of keys, as messages and --set write them.

#pragma once

#include "base/value.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::schema {

// "a.b", or "b" where the path is empty; keys that are not bare are quoted.
std::string below(const std::string& path, std::string_view key);

// Every leaf of a tree by its path, "training.optimizer.lr", in the tree's order. Lists are leaves,
// and so are empty tables.
std::vector<std::pair<std::string, Value>> flat(const Value& tree);

}  // namespace ptp::schema
