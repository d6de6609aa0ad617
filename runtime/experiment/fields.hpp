// Reads a table by a list of its keys: one line for each key says where it goes and what it must
// be.
//
//     read_fields(scope, {{.name = "prefetch", .into = &loader.prefetch, .range = "[1, inf)"},
//                         {.name = "shuffle", .into = &loader.shuffle}});
//
// A key that is absent leaves its target as it was: that is its default.

#pragma once

#include "base/diagnostics.hpp"
#include "base/duration.hpp"
#include "base/value.hpp"
#include "experiment/experiment.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptp::experiment {

// A value that is read elsewhere; nullptr when it is absent.
using Raw = const Value*;

struct RawTable {
    Raw table = nullptr;  // only ever a table; a value of another type is reported
};

using Target =
    std::variant<bool*, std::int64_t*, double*, std::string*, std::optional<std::int64_t>*,
                 std::optional<double>*, std::array<double, 2>*, Duration*, Raw*, RawTable*>;

struct Field {
    std::string_view name;
    Target into;
    std::string_view range = {};             // of a number, or of each number of a list
    std::vector<std::string> choices = {};   // of a string; empty: any string
    std::vector<std::string> only_for = {};  // the types that have this key; empty: all
    bool is_required = false;                // by the types that have it
    bool can_be_none = false;  // a table in whose place "none" may stand, as if it were absent
};

// A table that is being read.
struct Scope {
    const Value& table;
    std::string path;  // its name in messages; "" for the experiment itself
    const ReadOptions& options;
    Diagnostics& problems;

    [[nodiscard]] Scope at(const Value& value, std::string_view key) const;
    [[nodiscard]] std::string key(std::string_view name) const;
};

// The string "none", with which --set removes a table that a file has.
bool is_none(const Value& value);

// Reads the keys that are listed and returns the members that are not. `type` is the table's type,
// for tables whose keys depend on it: a key that belongs to other types is refused.
std::vector<const Member*> read_fields(const Scope& scope, const std::vector<Field>& fields,
                                       std::string_view type = {});

// Reads a table that may hold nothing but these keys. `more_known` are further names to suggest.
void read_all_fields(const Scope& scope, const std::vector<Field>& fields,
                     std::string_view type = {}, const std::vector<std::string>& more_known = {});

// The key `type`, one of `choices`; "" after reporting that it is missing or unknown.
std::string read_type(const Scope& scope, const std::vector<std::string>& choices);

// The reverse: the targets' values under their names, without the raw ones.
Value write_fields(const std::vector<Field>& fields, std::string_view type = {});

}  // namespace ptp::experiment
