// Reads a table by a list of its keys: one line for each key states where it goes, what it must be
// and what it means.
//
//     read_all_fields(scope, {{.name = "prefetch",
//                              .into = &loader.prefetch,
//                              .help = "number of batches loaded ahead",
//                              .range = "[1, inf)"}});
//
// A key that is absent leaves its target as it was: that is its default. The type of the target
// states what a value must be.

#pragma once

#include "base/diagnostics.hpp"
#include "base/duration.hpp"
#include "base/value.hpp"
#include "schema/familiar_names.hpp"
#include "schema/key.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ptp::schema {

// A value that is read elsewhere; nullptr when it is absent.
using Raw = const Value*;

struct RawTable {
    Raw table = nullptr;  // only ever a table; a value of another type is reported
};

template <class T>
struct Placed {
    T value{};
    SourceLocation place;
};

// One member of a table whose keys the user chooses.
template <class T>
struct Entry {
    std::string key;
    SourceLocation key_place;
    T value{};
    SourceLocation place;
};
template <class T>
using Map = std::vector<Entry<T>>;

// Numbers that are given as a list, as a text, or in a file: see number_list.hpp.
template <class Number>
struct NumberList {
    std::vector<Number> values;
    SourceLocation place;
    std::string source = {};  // one of the field's choices, in place of the values
};

using Target =
    std::variant<bool*, std::int64_t*, double*, std::string*, std::filesystem::path*, Duration*,
                 std::optional<bool>*, std::optional<std::int64_t>*, std::optional<double>*,
                 std::array<double, 2>*, std::optional<std::array<double, 2>>*,
                 std::optional<std::array<std::int64_t, 2>>*, std::vector<std::string>*,
                 std::optional<std::vector<std::string>>*, std::vector<std::int64_t>*,
                 std::vector<std::filesystem::path>*, std::vector<Placed<std::string>>*,
                 std::optional<NumberList<std::int64_t>>*, std::optional<NumberList<double>>*,
                 Map<std::string>*, Map<double>*, Map<Raw>*, Map<RawTable>*, Raw*, RawTable*>;

struct Field {
    std::string_view name;
    Target into;
    std::string_view help = {};             // one line, without a full stop
    std::string_view range = {};            // of each number
    std::string_view length = {};           // of a list
    std::vector<std::string> choices = {};  // of each string; empty: any
    bool is_filled = false;                 // no string and no path may be empty
    bool is_unique = false;                 // no item of a list is there twice
    bool is_required = false;
    bool is_alternative = false;       // exactly one of the table's keys with this must be there
    bool can_be_none = false;          // a table that may be "none", as if it were absent
    std::string_view pattern = {};     // a regular expression that a string must match whole
    std::string_view expected = {};    // in place of the derived "a list of strings"
    std::vector<Target> or_into = {};  // for values of other types: a table, a list
};

class KeyRecord;

// What a reader must know besides the value.
struct ReadOptions {
    std::filesystem::path home = {};          // what "~" expands to; empty: "~" is refused
    KeyRecord* keys = nullptr;                // (optional) receives the keys of each table read
    const FamiliarNames* familiar = nullptr;  // (optional)
};

// A table that is being read.
struct Scope {
    const Value& table;
    std::string path;  // its name in messages; "" for the document itself
    const ReadOptions& options;
    Diagnostics& problems;

    [[nodiscard]] Scope at(const Value& value, std::string_view key) const;
    [[nodiscard]] std::string key(std::string_view name) const;
};

// The string "none", with which --set removes a table that a file has.
bool is_none(const Value& value);

// What a field declares. Its target must hold the default.
Key key_of(const Field& field);

// Reads the keys that are listed and returns the members that are not.
std::vector<const Member*> read_fields(const Scope& scope, const std::vector<Field>& fields);

// Reads a table that may hold nothing but these keys. `more_known` are further names to suggest.
void read_all_fields(const Scope& scope, const std::vector<Field>& fields,
                     const std::vector<std::string>& more_known = {});

// Reports a key that nothing declares. The table may have the fields, and the keys `more_known`.
void refuse_unknown(const Scope& scope, const Member& member, const std::vector<Field>& fields,
                    const std::vector<std::string>& more_known = {});

// The reverse: the targets' values under their names, without the raw ones and what is absent.
Value write_fields(const std::vector<Field>& fields);

}  // namespace ptp::schema
