// Names that people know from other programs, for advice on a value or a key that is refused.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptp::schema {

// All return nothing where they know none.
struct FamiliarNames {
    // What to write where the table `key` is wanted and a name is given.
    std::string (*table)(std::string_view key, std::string_view name);
    // The same for a name as the `type` in that table.
    std::string (*type_table)(std::string_view key, std::string_view name);
    // The full key that is meant by an unknown key of a table.
    std::optional<std::string> (*key)(std::string_view table, std::string_view name);
};

}  // namespace ptp::schema
