// Names that people know from other programs, for advice on a rejected value or key.

#pragma once

#include "base/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schema {

// The key that is probably meant by an unknown key.
struct MeantKey {
    std::vector<std::string> keys;  // full: "training.optimizer.lr"; several if any may be meant
    std::string value = {};         // the replacement of the value; "": it stays as it is
    std::string expected = {};      // if the value fits in no form: what the key must be
    std::string fix = {};           // what to do in place of writing the key; "": it is written
    std::string reason = {};        // what else the error has about the value
};

struct FamiliarNames;

// A key that is not declared, and where it stands.
struct UnknownKey {
    const Member& member;
    const std::string& table;                 // its path; "" for the document itself
    const Value* root = nullptr;              // (optional) the document
    const FamiliarNames* familiar = nullptr;  // (optional)
    std::string section = {};                 // that is read in place of [training], if it is not
};

// Look-ups of advice; all return an empty result if there is none.
struct FamiliarNames {
    // Returns what to write if a name is given for the table `key`.
    std::string (*table)(std::string_view key, std::string_view name);
    // Returns what to write for a value of `key` that other programs have and that is rejected
    // here.
    std::string (*value)(std::string_view key, const Value& value);
    // Returns what to write for such a name as the `type` in that table.
    std::string (*type_table)(std::string_view key, std::string_view name);
    // Returns the keys of other tables, or of another name, that an unknown key of a table means.
    std::optional<MeantKey> (*key)(const UnknownKey& unknown);
    // Returns what a word of other programs is here, which may be no key.
    std::string (*meaning)(std::string_view word);
    // Returns a value to begin with for a required key that is missing.
    std::string (*example)(std::string_view key);
    // Returns what to write, and where, so that `key` has the value of an unknown key.
    std::string (*fix)(const UnknownKey& unknown, const std::string& key, const std::string& value);
};

}  // namespace ptp::schema
