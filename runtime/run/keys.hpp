// Maps a struct of a run's folder to the table in its file, with one list of keys for both
// directions.
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

// A text that is null in JSON if it is "".
struct TextOrNull {
    std::string* text;
};

// The target of a key. An optional without a value is null in JSON. A Value may be anything; a
// required one is a table.
using KeyTarget = std::variant<bool*, std::int64_t*, std::uint64_t*, double*, std::string*,
                               TextOrNull, std::optional<std::int64_t>*,
                               std::optional<std::uint64_t>*, std::optional<double>*, Value*>;

struct Key {
    std::string_view name;
    KeyTarget into;
};

// Returns null in JSON, nan in TOML.
Value null_value();

// Returns the table, in the order of the keys.
Value write_keys(const std::vector<Key>& keys);
// Adds the keys to a table.
void add_keys(Value& table, const std::vector<Key>& keys);

// Reads the keys. A missing value, or one of another type, leaves its target unchanged.
void read_keys(const Value& table, const std::vector<Key>& keys);

// Throws RunError with kDataError for the first key that is missing, has another type or is a
// negative count: "'epoch' must be an integer, and is missing".
void require_keys(const Value& table, const std::vector<Key>& keys);

// Return one value. Throw RunError as require_keys() does.
const Value& value_in(const Value& table, std::string_view key, ValueType type);
std::int64_t integer_in(const Value& table, std::string_view key);
double real_in(const Value& table, std::string_view key);

// Returns the items of a list; none for anything else.
const std::vector<Value>& items_in(const Value& table, std::string_view key);

}  // namespace ptp::run
