// An entry of the tables of other programs' names, and how one is found.

#pragma once

#include "base/text.hpp"
#include "base/value.hpp"
#include "schema/familiar_names.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ptp::experiment {

// Names of other programs, and what they mean here.
struct Familiar {
    std::string_view names;       // folded, separated by spaces; of values the texts of numbers too
    std::string_view meaning;     // a key, a setting, a type of component; or what to write
    std::string_view form = {};   // of a key: how a value is written, if different here
    std::string_view usual = {};  // of a key that is no switch: what to write for true
};

// Names in the tables of such a last name, or of values of such a key.
struct OfTable {
    std::string_view table;
    Familiar names;
};

// Returns the first entry of this name; nullptr if there is none.
inline const Familiar* find_familiar(std::span<const Familiar> list, std::string_view name) {
    const auto found =
        std::ranges::find_if(list, [&](const Familiar& one) { return has_word(one.names, name); });
    return found == list.end() ? nullptr : &*found;
}

inline std::string meaning_of(std::span<const Familiar> list, std::string_view name) {
    const Familiar* found = find_familiar(list, name);
    return found == nullptr ? "" : std::string(found->meaning);
}

// Returns what to do about a number of devices: a process uses one; "" for other keys.
std::string fix_of_devices(const Member& unknown);

// Returns what to write for 16 bits as `precision` or `fp16` in another table: "bf16" on the CPU,
// where libtorch lacks fp16, which a GPU has; nullopt for other values.
std::optional<schema::MeantKey> meant_precision(const schema::UnknownKey& of);

}  // namespace ptp::experiment
