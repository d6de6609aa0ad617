// Tables whose keys depend on one of them, `type`: a list of fields for each type, chosen by name.
//
//     Sgd sgd;
//     Adam adam;
//     const Kinds kinds{.list = {{.name = "SGD", .help = "...", .fields = fields_of(sgd)},
//                                {.name = "Adam", .help = "...", .fields = fields_of(adam)}}};
//     const auto chosen = read_kind(scope, kinds);  // 0: sgd has been filled, 1: adam

#pragma once

#include "schema/fields.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ptp::schema {

struct Kind {
    std::string_view name;           // the value of `type`
    std::string_view help = {};      // one line, without a full stop
    std::vector<Field> fields = {};  // without `type`
};

struct Kinds {
    std::vector<Kind> list;
    std::vector<Field> common = {};      // keys that tables of all types have
    std::string_view key = "type";       // or "mode", "action"
    std::string_view help = {};          // the help for that key
    std::string_view default_name = {};  // used if the key is absent; empty: it is required
};

// Reads a table that may contain only the keys of its type, and returns the index of the type in
// the list; nullopt after reporting that it is missing or unknown. For a key of other types the
// error names these: "Adam has no option 'momentum' (SGD and RMSprop have)".
std::optional<std::size_t> read_kind(const Scope& scope, const Kinds& kinds);

// Reads a table whose type is given by `chosen` instead of a key.
void read_kind_as(std::size_t chosen, const Scope& scope, const Kinds& kinds);

// Returns the field of the key that names the type.
Field key_field(const Kinds& kinds, std::string* into);

// Returns all fields of one type, the common ones first; without the type itself.
std::vector<Field> fields_of(const Kinds& kinds, const Kind& kind);

// Returns a table with the type and the values of its targets: the inverse of read_kind().
Value write_kind(const Kinds& kinds, std::size_t chosen);

}  // namespace ptp::schema
