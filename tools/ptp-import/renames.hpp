// What PyTorchPipe calls otherwise, or has and ptp has not: all that an import knows by itself.
// What settings, streams and globals a component has is not here; the plugins declare it.

#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace ptp::importer {

// Of a type of component; also names of releases before 0.2.
struct TypeName {
    std::string_view from;
    std::string_view to;
};

// A key of a table that is not a component's: "*" is any section.
struct SectionKey {
    std::string_view table;  // "*.optimizer"
    std::string_view from;
    std::string_view to;
};

enum class Reading {
    kRead,
    kIgnored,   // PyTorchPipe never read it
    kMeansElse  // ptp has the key too, for something else
};

// A key in the table of a component, or in its `streams`, `globals` or `statistics`.
struct ComponentKey {
    std::string_view type;   // in ptp; "*" is any
    std::string_view table;  // "" for the component's own
    std::string_view from;
    std::string_view to;  // "globals.pad_index" is in another table
    Reading reading = Reading::kRead;
    std::string_view when = {};  // (optional) only where this setting is true
};

// A key without a counterpart.
struct GoneKey {
    std::string_view where;  // "*.dataloader", or the type of a component
    std::string_view key;
    std::string_view why;
    std::string_view instead;
};

// A value that PyTorchPipe takes where nothing is written, and ptp does not.
struct OtherDefault {
    std::string_view type;
    std::string_view table;  // "" or "streams"
    std::string_view key;
    std::string_view value;        // TOML
    std::string_view unless = {};  // (optional) not where this key is written
};

// A word of a list that is a setting of its own.
struct WordFlag {
    std::string_view type;
    std::string_view key;
    std::string_view word;
    std::string_view flag;
    std::string_view all;  // what "all" is besides: "a,b"
};

// What PyTorchPipe does where a setting is not written, and ptp does not do.
struct LostDefault {
    std::string_view type;
    std::string_view key;      // in PyTorchPipe
    std::string_view or_else;  // a key that replaces it
    std::string_view why;
    std::string_view instead;
};

// A value that is written otherwise.
struct OtherValue {
    std::string_view type;  // "*" is any
    std::string_view key;
    std::string_view from;  // TOML
    std::string_view to;    // TOML; "" leaves the key out
    std::string_view to_key = {};
};

std::string_view type_in_ptp(std::string_view type);
std::span<const SectionKey> section_keys();
std::span<const ComponentKey> component_keys();
std::span<const OtherDefault> other_defaults();
std::span<const OtherValue> other_values();
std::span<const LostDefault> lost_defaults();
std::span<const WordFlag> word_flags();

// nullopt for a key that is not known to be gone.
std::optional<GoneKey> gone_key(std::string_view where, std::string_view key);

// Whether components of this type have PyTorchPipe's mix-in for vocabularies.
bool has_vocabulary(std::string_view type);

}  // namespace ptp::importer
