// Checks one value against its declaration.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "schema/familiar_names.hpp"
#include "schema/key.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schema {

struct CheckContext {
    const std::filesystem::path& home;  // what "~" expands to; empty: "~" is refused
    Diagnostics& problems;
    const FamiliarNames* familiar = nullptr;  // (optional)
    // False where advice is tried out, which would otherwise ask for advice in its turn.
    bool has_advice = true;
};

// Returns the value as its reader receives it: integers given for reals are reals, one value given
// for a list is a list, paths are absolute, tables have their members' defaults. Returns nullopt
// after reporting problems under `path`. Lists of numbers in texts and files are not read here: see
// number_list.cpp.
std::optional<Value> check_value(const Key& key, const Value& value, const std::string& path,
                                 const CheckContext& context);

// Returns whether check_value() accepts the value for the key, in any of the key's forms.
bool accepts(const Key& key, const Value& value);

// Returns the value that is probably meant by one of another type: false for "False" or 0, 0.5 for
// "0,5", 5 for 5.0, the item of a list of one; nullopt if the key takes none of these.
std::optional<Value> meant_value(const Key& key, const Value& value);

// Returns the number, up to 1, that is meant by its percent: 0.5 for 50; nullopt below 10, which is
// hardly one, and where the key takes larger numbers.
std::optional<Value> share_of_percent(const Key& key, const Value& value);

// Returns [0.8, 0.2] for [80, 20], percents of a whole; nullopt for another list.
std::optional<Value> shares_of(const Key& key, const Value& list);

// Returns "; did you mean 'x'?" if the key of this name takes the value, otherwise "; known: a, b,
// c". `more_known` are further names, whose values are read elsewhere.
std::string hint_for(const Member& unknown, const std::vector<Key>& keys,
                     const std::vector<std::string>& more_known = {});

// Explains a member that a table of a setting lacks: a name of another program, or a slip.
Explanation unknown_member(const UnknownKey& unknown, const std::vector<Key>& members);

// Returns "; \"fp16\" needs --device cuda" for "\"bf16\", or \"fp16\" with --device cuda"; "" for
// one value.
std::string other_meaning(std::string_view meanings);

// Returns what to type so that the key at this place has a value: "write lr = 0.1", or
// "--set training.optimizer.lr=0.1" where the value at the place is one of the command line.
std::string typed_value(const SourceLocation& place, const std::string& key,
                        const std::string& value);

// Returns what to type for an unknown key that means `key`, with this value; "" if that is not
// known.
std::string fix_of_key(const UnknownKey& unknown, const std::string& key, const std::string& value);

// Returns "unknown key; did you mean 'training.optimizer.lr'?", and what to type in its place.
Explanation explained(const UnknownKey& unknown, const MeantKey& meant);

// Returns the default of a key that is absent, with no location; nullopt if there is none. Reports
// a required key as missing from the table at `place`.
std::optional<Value> check_absent(const Key& key, const SourceLocation& place,
                                  const std::string& path, const CheckContext& context);

// Return a fix, or "": for a string that contains a value of the wanted type, as in lr = "0.001",
// and for a number in place of a span of time, as in wall_time = 90.
std::string advice_on_quotes(const Value& value, bool (Value::*is_wanted)() const);
std::string advice_on_duration(const Value& value);

// Returns the --set that trains with each value of a list given by --set; "" if the key does not
// take each.
std::string advice_on_sweep(const Key& key, const Value& value, const std::string& path);

// Returns "\"10m\"" for "10 minutes"; "" for other texts.
std::string duration_in_words(const std::string& given);

}  // namespace ptp::schema
