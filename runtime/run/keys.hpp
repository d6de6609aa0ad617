// A struct of a run's folder and the table that it is in its file: one list of keys for both.
//
//     std::vector<Key> keys_of(Status& status) {
//         return {{"state", &status.state}, {"exit_code", &status.exit_code}};
//     }

#pragma once

#include "base/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptp::run {

// A text that is null in JSON where it is "".
struct TextOrNull {
    std::string* text;
};

// An optional without a value is null in JSON. A Value may be anything; a required one is a table.
using KeyTarget = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*,
                               TextOrNull, std::optional<std::int64_t>*,
                               std::optional<std::uint64_t>*, std::optional<double>*, Value*>;

struct Key {
    std::string_view name;
    KeyTarget into;
};

// null in JSON, nan in TOML.
Value null_value();

// The table, in the order of the keys.
Value write_keys(const std::vector<Key>& keys);
// Adds them to a table.
void add_keys(Value& table, const std::vector<Key>& keys);

// A key that is missing, or whose value has another type, leaves its target as it is.
void read_keys(const Value& table, const std::vector<Key>& keys);

// Throws RunError with kDataError for the first key that is missing, has another type or is a count
// below 0: "'epoch' must be an integer, and is missing".
void require_keys(const Value& table, const std::vector<Key>& keys);

// One value. Throws RunError as require_keys().
const Value& value_in(const Value& table, std::string_view key, ValueType type);
std::int64_t integer_in(const Value& table, std::string_view key);
double real_in(const Value& table, std::string_view key);

}  // namespace ptp::run
