// Names that people know from other programs, for advice on a value or a key that is refused.

#pragma once

#include "base/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schema {

// What an unknown key is called here.
struct MeantKey {
    std::vector<std::string>
        keys;                   // full: "training.optimizer.lr"; several where each may be meant
    std::string value = {};     // what to write in place of the value; "": it stays as it is
    std::string expected = {};  // where the value fits in no form: what the key must be
};

// All return nothing where they know none.
struct FamiliarNames {
    // What to write where the table `key` is wanted and a name is given.
    std::string (*table)(std::string_view key, std::string_view name);
    // What to write for a value of `key` that other programs have and that is refused here.
    std::string (*value)(std::string_view key, const Value& value);
    // The same for a name as the `type` in that table.
    std::string (*type_table)(std::string_view key, std::string_view name);
    // The keys of other tables, or of another name, that are meant by an unknown key of a table.
    std::optional<MeantKey> (*key)(std::string_view table, const Member& unknown);
};

}  // namespace ptp::schema
