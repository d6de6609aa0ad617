// Reads a table by a list of its keys. One line for each key states its target, its valid values
// and its meaning.
//
//     read_all_fields(scope, {{.name = "prefetch",
//                              .into = &loader.prefetch,
//                              .help = "number of batches loaded ahead",
//                              .range = "[1, inf)"}});
//
// A key that is absent leaves its target, which has the default, unchanged. The type of the target
// states the type of the value.

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

// A value that is read elsewhere; nullptr if absent.
using Raw = const Value*;

struct RawTable {
    Raw table = nullptr;  // always a table; a value of another type is reported
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

// Numbers in a list, a text, or a file: see number_list.cpp.
template <class Number>
struct NumberList {
    std::vector<Number> values;
    SourceLocation place;
    std::string source = {};  // one of the field's choices, instead of the values
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
    std::string_view range = {};            // valid range of each number
    std::string_view length = {};           // valid length of a list
    std::vector<std::string> choices = {};  // valid values of each string; empty: any
    bool is_filled = false;                 // no string and no path may be empty
    bool is_unique = false;                 // no item of a list is repeated
    bool is_required = false;
    bool is_alternative = false;       // exactly one of the table's keys with this must be present
    bool can_be_none = false;          // a table that may be "none", as if it were absent
    std::string_view pattern = {};     // a regular expression that a string must match whole
    std::string_view expected = {};    // replaces the derived "a list of strings"
    std::vector<Target> or_into = {};  // for values of other types: a table, a list
};

class KeyRecord;

// The context of a reader.
struct ReadOptions {
    std::filesystem::path home = {};          // what "~" expands to; empty: "~" is refused
    KeyRecord* keys = nullptr;                // (optional) receives the keys of each table read
    const FamiliarNames* familiar = nullptr;  // (optional)
    const Value* root = nullptr;              // (optional) the document, for advice on places
    std::string section = {};  // "test": what is read in place of [training], if it is not
};

// A table that is being read.
struct Scope {
    const Value& table;
    std::string path;  // its name in messages; "" for the document itself
    const ReadOptions& options;
    Diagnostics& problems;

    [[nodiscard]] Scope at(const Value& value, std::string_view key) const;
    [[nodiscard]] std::string key(std::string_view name) const;

    // Returns whether what is processed does not read this table of a section.
    [[nodiscard]] bool is_unread() const {
        return !options.section.empty() && !path.starts_with(options.section + ".");
    }
};

// Returns whether the value is the string "none", with which --set removes a table of a file.
bool is_none(const Value& value);

// Returns the declaration of a field. Its target must contain the default.
Key key_of(const Field& field);

// Reads the listed keys and returns the members that are not listed.
std::vector<const Member*> read_fields(const Scope& scope, const std::vector<Field>& fields);

// Reads a table that may contain only these keys. `more_known` are further names to suggest.
void read_all_fields(const Scope& scope, const std::vector<Field>& fields,
                     const std::vector<std::string>& more_known = {});

// Reports a key that is not declared. The table may have the fields, and the keys `more_known`.
void refuse_unknown(const Scope& scope, const Member& member, const std::vector<Field>& fields,
                    const std::vector<std::string>& more_known = {});

// Returns the targets' values under their names, without raw and absent ones: the inverse of
// reading.
Value write_fields(const std::vector<Field>& fields);

}  // namespace ptp::schema
