// Differences between the names and features of PyTorchPipe and ptp: the built-in knowledge of an
// import. Settings, streams and globals of components are declared by plugins instead.

#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ptp::importer {

// A type of component; includes names of releases before 0.2.
struct TypeName {
    std::string_view from;
    std::string_view to;
};

// A key of a table that is not a component's; "*" is any section.
struct SectionKey {
    std::string_view table;  // "*.optimizer"
    std::string_view from;
    std::string_view to;
};

enum class Reading {
    kRead,
    kIgnored,   // PyTorchPipe never reads it
    kMeansElse  // ptp has the key too, with another meaning
};

// A key in the table of a component, or in its `streams`, `globals` or `statistics`.
struct ComponentKey {
    std::string_view type;   // ptp's name; "*" is any
    std::string_view table;  // "" for the component's own
    std::string_view from;
    std::string_view to;  // "globals.pad_index" is in another table
    Reading reading = Reading::kRead;
    std::string_view when = {};  // (optional) only if this setting is true
};

// A key without a counterpart.
struct GoneKey {
    std::string_view where;  // "*.dataloader", or the type of a component
    std::string_view key;
    std::string_view why;
    std::string_view instead;
};

// A default of PyTorchPipe that differs from ptp's.
struct OtherDefault {
    std::string_view type;
    std::string_view table;  // "" or "streams"
    std::string_view key;
    std::string_view value;        // TOML
    std::string_view unless = {};  // (optional) not if this key is written
};

// A word of a list that is a separate setting.
struct WordFlag {
    std::string_view type;
    std::string_view key;
    std::string_view word;
    std::string_view flag;
    std::string_view all;  // other words in "all": "a,b"
};

// A default behavior of PyTorchPipe that ptp does not have.
struct LostDefault {
    std::string_view type;
    std::string_view key;      // PyTorchPipe's name
    std::string_view or_else;  // a key that replaces it
    std::string_view why;
    std::string_view instead;
};

// A value that is written differently.
struct OtherValue {
    std::string_view type;  // "*" is any
    std::string_view key;
    std::string_view from;  // TOML
    std::string_view to;    // TOML; "" removes the key
    std::string_view to_key = {};
};

std::string_view type_in_ptp(std::string_view type);
std::span<const SectionKey> section_keys();
std::span<const ComponentKey> component_keys();
std::span<const OtherDefault> other_defaults();
std::span<const OtherValue> other_values();
std::span<const LostDefault> lost_defaults();
std::span<const WordFlag> word_flags();

// Returns nullopt unless the key is known to have no counterpart.
std::optional<GoneKey> gone_key(std::string_view where, std::string_view key);

// Returns whether components of this type have PyTorchPipe's mix-in for vocabularies.
bool has_vocabulary(std::string_view type);

}  // namespace ptp::importer
