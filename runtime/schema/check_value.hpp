// One value against what is declared of it.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "schema/familiar_names.hpp"
#include "schema/key.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::schema {

struct CheckContext {
    const std::filesystem::path& home;  // what "~" expands to; empty: "~" is refused
    Diagnostics& problems;
    const FamiliarNames* familiar = nullptr;  // (optional)
};

// The value as its reader gets it: integers given for reals are reals, one value given for a list
// is a list, paths are absolute, tables have their members' defaults. nullopt after reporting what
// is wrong under `path`. Lists of numbers in texts and files are not read here: see
// number_list.hpp.
std::optional<Value> check_value(const Key& key, const Value& value, const std::string& path,
                                 const CheckContext& context);

// Whether check_value() accepts it for the key, in any of the key's forms.
bool accepts(const Key& key, const Value& value);

// "; did you mean 'x'?" where the key of this name takes the value, or "; known: a, b, c".
// `more_known` are names besides, whose values are read elsewhere.
std::string hint_for(const Member& unknown, const std::vector<Key>& keys,
                     const std::vector<std::string>& more_known = {});

// The same for a key that is not written: its default, whose place is nowhere; nullopt without one.
// Reports that a required key is missing from the table at `place`.
std::optional<Value> check_absent(const Key& key, const SourceLocation& place,
                                  const std::string& path, const CheckContext& context);

}  // namespace ptp::schema
