// `--set key.path=value`: values from the command line.

#pragma once

#include "config/diagnostics.hpp"
#include "config/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::config {

struct Override {
    std::vector<std::string> path;
    Value value;
};

// Reads "key.path=value". The path is a TOML key, "a.b" or a."b c"; a number selects an item of a
// list. The value is TOML, or taken as a string where it is not. nullopt after reporting what is
// wrong.
std::optional<Override> read_override(const std::string& text, Diagnostics& problems);

// The path alone, as before "="; nullopt when it is none.
std::optional<std::vector<std::string>> read_key_path(std::string_view text);

// Lays an override over the tree.
void apply_override(const Override& override, Value& root, Diagnostics& problems);

// The override as a tree of nothing else.
Value tree_of(const Override& override);

}  // namespace ptp::config
