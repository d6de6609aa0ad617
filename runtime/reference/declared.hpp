// What is declared for a key of an experiment, by ptp or by the plugin whose component has it.

#pragma once

#include "base/value.hpp"
#include "plugin/catalog.hpp"
#include "schema/key_record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ptp::reference {

using KeyPath = std::vector<std::string>;

struct Declared {
    std::string by;  // "ptp", "FeedForwardNetwork (general_models 0.1.0)"
    schema::Key key;
};

// What an experiment is judged by.
struct Declarations {
    const Value& tree;  // of the experiment
    const schema::KeyRecord& keys;
    const plugin::Catalog& catalog;
};

// nullopt for an undeclared key.
std::optional<Declared> find_declared(const KeyPath& key, const Declarations& declarations);

// The keys that the table at `table` may have, declared or written, in that order; none for what
// cannot be a table.
std::vector<std::string> known_keys(const KeyPath& table, const Declarations& declarations);

// Whether the key is a table, written or not.
bool is_table(const KeyPath& key, const Declarations& declarations);

// Whether a table that is not written could not stay empty: then it is not there at all.
bool is_left_out(const KeyPath& table, const Declarations& declarations);

// "a.b", "a[0]"; keys that are not bare are quoted.
std::string path_text(const KeyPath& key, const Value& tree);

// The value at a path; numbers select items of lists. nullptr where there is nothing.
const Value* find_value(const Value& tree, const KeyPath& key);

}  // namespace ptp::reference
