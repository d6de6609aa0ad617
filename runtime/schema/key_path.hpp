// Paths of keys, in the form of messages and --set.

#pragma once

#include "base/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::schema {

// Returns "a.b", or "b" if the path is empty; keys that are not bare are quoted.
std::string below(const std::string& path, std::string_view key);

// The path of a value within others, which is converted to text only if a message needs it. Its
// parts must outlive it.
class KeyPath {
public:
    explicit KeyPath(const std::string& path) : key_(path) {}
    // The path of a member of the table at `outer`.
    KeyPath(const KeyPath& outer, std::string_view key) : outer_(&outer), key_(key) {}
    // The path of an item of the list at `outer`.
    KeyPath(const KeyPath& outer, std::size_t index) : outer_(&outer), index_(index) {}

    [[nodiscard]] std::string text() const;

private:
    const KeyPath* outer_ = nullptr;
    std::string_view key_ = {};
    std::optional<std::size_t> index_ = {};
};

// Returns every leaf of a tree with its path, "training.optimizer.lr", in the tree's order. Lists
// and empty tables are leaves.
std::vector<std::pair<std::string, Value>> flat(const Value& tree);

}  // namespace ptp::schema
