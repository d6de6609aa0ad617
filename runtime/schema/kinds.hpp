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
    std::string_view help = {};          // of that key
    std::string_view default_name = {};  // where the key is absent; empty: it is required
};

// Reads a table that may hold nothing but its type's keys, and returns that type's place in the
// list; nullopt after reporting that it is missing or unknown. A key of other types is refused by
// naming those that have it: "Adam has no option 'momentum' (SGD and RMSprop have)".
std::optional<std::size_t> read_kind(const Scope& scope, const Kinds& kinds);

// The same where the type is known from elsewhere and not a key of the table.
void read_kind_as(std::size_t chosen, const Scope& scope, const Kinds& kinds);

// The key that names the type.
Field key_field(const Kinds& kinds, std::string* into);

// All fields of one type, its own after the common ones; without the type itself.
std::vector<Field> fields_of(const Kinds& kinds, const Kind& kind);

// The reverse: the type, and the values of its targets.
Value write_kind(const Kinds& kinds, std::size_t chosen);

}  // namespace ptp::schema
