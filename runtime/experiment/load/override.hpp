// `--set key.path=value`: values from the command line.

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

// Reads "key.path=value". The path is a TOML key, "a.b" or a."b c"; a number selects an item of a
// list. The value is TOML, or taken as a string where it is not. nullopt after reporting what is
// wrong. `number` is the override's position among all, from 1 on.
std::optional<Override> read_override(const std::string& text, int number, Diagnostics& problems);

// Where a message that begins with a key, "lr: too large" or "lr = 5: too large", finds it among
// the texts of overrides: the last that sets it. Nowhere in them: a place without a line.
SourceLocation place_in_overrides(const std::vector<std::string>& overrides,
                                  std::string_view message);

// The path alone, as before "="; nullopt if it is not a path.
std::optional<std::vector<std::string>> read_key_path(std::string_view text);

// Lays an override over the tree.
void apply_override(const Override& override, Value& root, Diagnostics& problems);

// The override as a tree of nothing else.
Value tree_of(const Override& override);

}  // namespace ptp::experiment
