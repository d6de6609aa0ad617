// Finds the declaration of a key of an experiment, by ptp or by the plugin of its component, and
// the key that is meant by a part of its path or by a name from elsewhere.

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

// The declarations that apply to an experiment.
struct Declarations {
    const Value& tree;  // the experiment's
    const schema::KeyRecord& keys;
    const plugin::Catalog& catalog;
};

// Returns nullopt for an undeclared key.
std::optional<Declared> find_declared(const KeyPath& key, const Declarations& declarations);

// Returns the keys that the table at `table` may have, the declared ones first, then the written
// ones; empty if it cannot be a table.
std::vector<std::string> known_keys(const KeyPath& table, const Declarations& declarations);

// Returns whether the key is a table, written or not.
bool is_table(const KeyPath& key, const Declarations& declarations);

// Returns whether an unwritten table could not be empty, and is therefore absent.
bool is_left_out(const KeyPath& table, const Declarations& declarations);

// Returns "a.b" or "a[0]"; keys that are not bare are quoted.
std::string path_text(const KeyPath& key, const Value& tree);

// Returns the value at a path, in which numbers select items of lists; nullptr if there is none.
const Value* find_value(const Value& tree, const KeyPath& key);

struct Guess {
    std::optional<KeyPath> key;  // "lr" -> training.optimizer.lr
    std::string hint;            // without a key, if one is near: "; did you mean '...'?"
};

// Guesses the key for one that does not exist. A short key is the end of a path, or another
// program's name for it ("learning_rate").
Guess guess_key(const KeyPath& key, const Declarations& declarations);

}  // namespace ptp::reference
