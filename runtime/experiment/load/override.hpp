// Parses `--set key.path=value`: values from the command line.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

struct Override {
    std::vector<std::string> path;
    std::vector<SourceLocation> places;  // of the parts of the path
    Value value;
};

// Parses "key.path=value". The path is a TOML key, "a.b" or a."b c"; a number selects an item of a
// list. The value is TOML, or a string if it is not valid TOML. Returns nullopt after reporting an
// error. `number` is the override's position among all, from 1.
std::optional<Override> read_override(const std::string& text, int number, Diagnostics& problems);

// Returns the place of the key with which a message begins, "lr: too large" or "lr = 5: too large",
// in the last override that sets it; a place without a line if there is none.
SourceLocation place_in_overrides(const std::vector<std::string>& overrides,
                                  std::string_view message);

// Returns "training.optimizer.lr=0.01", as in --set.
std::string override_text(const std::string& key, const Value& value);

// Parses a path alone, as before "="; returns nullopt if it is not a path.
std::optional<std::vector<std::string>> read_key_path(std::string_view text);

// Applies an override to the tree. A table is merged into the one that is there, but an empty one
// empties it.
void apply_override(const Override& override, Value& root, Diagnostics& problems);

// Returns a tree that contains only the override.
Value tree_of(const Override& override);

}  // namespace ptp::experiment
