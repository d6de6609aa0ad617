// Paths of keys, as messages and --set write them.

#pragma once

#include "base/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::schema {

// "a.b", or "b" where the path is empty; keys that are not bare are quoted.
std::string below(const std::string& path, std::string_view key);

// The path of a value within others, which becomes text only where a message needs it. What it is
// made from must outlive it.
class KeyPath {
public:
    explicit KeyPath(const std::string& path) : key_(path) {}
    // Of a member of the table at `outer`.
    KeyPath(const KeyPath& outer, std::string_view key) : outer_(&outer), key_(key) {}
    // Of an item of the list there.
    KeyPath(const KeyPath& outer, std::size_t index) : outer_(&outer), index_(index) {}

    [[nodiscard]] std::string text() const;

private:
    const KeyPath* outer_ = nullptr;
    std::string_view key_ = {};
    std::optional<std::size_t> index_ = {};
};

// Every leaf of a tree by its path, "training.optimizer.lr", in the tree's order. Lists are leaves,
// and so are empty tables.
std::vector<std::pair<std::string, Value>> flat(const Value& tree);

}  // namespace ptp::schema
