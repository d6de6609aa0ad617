// The steps of load_experiment(): files with what they include, laid over each other, and then the
// variables. The overrides of the command line are in override.hpp.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "experiment/load/load.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace ptp::experiment {

// Returns the merged tree, without its `include` keys. A file that is included several times is
// read once. Returns nullopt if a file is missing, is not TOML or includes itself; all such files
// are reported. `layers` (optional) receives the merged files, one entry for each inclusion. `text`
// (optional) is the content of the file, which is then not read.
std::optional<Value> read_with_includes(const std::filesystem::path& file,
                                        const std::filesystem::path& home, Diagnostics& problems,
                                        Layers* layers = nullptr,
                                        const std::optional<std::string>& text = std::nullopt);

// Merges `upper` into `lower`. Tables merge key by key, but a table with another `type` replaces
// the lower one as a whole: an Adam's betas are not options of SGD. Everything else replaces, so
// that a key which may be a value or a table can change its form; its type is checked where it is
// read. A table over a text with a variable, or the reverse, is an error that names both places,
// and the lower value stays: the variable may be a table, which would have to be merged. `path`
// names the tables in messages.
void merge(Value& lower, const Value& upper, const std::string& path, Diagnostics& problems);

// Returns whether one value may replace the other if they do not merge.
bool may_replace(const Value& lower, const Value& upper);

// Returns the name of the variable that a value is as a whole, "x" for "${x}"; "" for another one.
std::string variable_of(const Value& value);

// Returns the place of a text that begins with "${NAME}" when the variable is written into it: that
// of the text, but of a variable that is a text of another folder or of the command line its own,
// because a relative path begins at the folder of its place.
const SourceLocation& place_of(const Value& variable, const Value& text);

// Limits for variables that use variables, and for groups, which can grow without bound; they
// exceed any real experiment.
constexpr std::size_t kMaxExpandedBytes = 16u << 20;
constexpr std::size_t kMaxInARow = 32;

// Returns about how many bytes a value takes in memory.
std::size_t weight(const Value& value);

// Removes `vars` from the tree and replaces each "${name}" by its value. The value replaces the
// text. Strings that cannot be resolved are reported and stay as they are.
void substitute_vars(Value& root, Diagnostics& problems);

}  // namespace ptp::experiment
