// Makes one tree of values of an experiment file, with its includes, overrides and variables.

#pragma once

#include "base/diagnostics.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"
#include "schema/key.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::experiment {

// A file that an experiment is merged from, so that messages can name the origin of a value.
struct Layer {
    Value tree;                               // the content of the file itself, without `include`
    std::vector<SourceLocation> included_at;  // the includes that lead to it, outermost first
};

// Layers in the order in which they are merged: a later one wins.
using Layers = std::vector<Layer>;

// Returns whether the layer is an option that empties the table, or one above it: --set t={}.
bool empties(const Layer& layer, const std::vector<std::string>& table);

// A use of a group, whose components are [pipeline.NAME_COMPONENT]; see groups.hpp.
struct GroupUse {
    std::string name;   // "left"
    std::string group;  // "tower"
    SourceLocation place;
    SourceLocation group_place;
    std::vector<std::string> components = {};  // "left_encoder"
    std::vector<std::string> copies = {};      // of each component: "left", or "left_2" by `map`
};
using GroupUses = std::vector<GroupUse>;

struct LoadRequest {
    std::filesystem::path file;
    std::vector<std::string> overrides = {};  // "key.path=value", as after --set
    std::filesystem::path home = {};          // what "~" expands to; empty: "~" is refused
    // (optional) In place of the file's content. The file need not exist then: it is the name in
    // messages, and relative paths start at its folder.
    std::optional<std::string> text = {};
    std::vector<std::filesystem::path> over = {};  // files to lay over it, later ones over earlier
};

// Reads the file and everything it includes, lays the files of `over` with what they include over
// it as if a file included all in this order, then applies the overrides, then the variables:
//
// - `include` is a file or a list of files, relative to the including one. Tables merge unless
//   they have different types, everything else replaces: see merge(). Later wins over earlier, and
//   a file wins over what it includes.
// - Overrides win over all files. Their value is TOML, or a string where it is not; an empty table
//   empties the one that is there.
// - A table with `use` in [pipeline] becomes the components of its group.
// - "${name}" is replaced by `vars.name` and keeps its type; within a longer string numbers,
//   booleans and strings are written in; "$${" is a plain "${".
//
// The result has neither `include` nor `vars` nor `group`. nullopt when a file could not be read or
// parsed, so that what is missing cannot be distinguished from what is wrong. All problems are
// reported at once. `layers` (optional) gets the files, then the overrides, then the components of
// groups; `uses` (optional) gets the uses of groups.
std::optional<Value> load_experiment(const LoadRequest& request, Diagnostics& problems,
                                     Layers* layers = nullptr, GroupUses* uses = nullptr);

// The keys that this removes.
std::vector<schema::Key> loading_keys();

}  // namespace ptp::experiment
