// Guesses the key for a part of its path, or for a name from elsewhere.

#pragma once

#include "reference/declared.hpp"

#include <optional>
#include <string>

namespace ptp::reference {

struct Guess {
    std::optional<KeyPath> key;  // "lr" -> training.optimizer.lr
    std::string hint;            // without a key, if one is near: "; did you mean '...'?"
};

// Guesses the key for one that does not exist. A short key is the end of a path, or another
// program's name for it ("learning_rate").
Guess guess_key(const KeyPath& key, const Declarations& declarations);

}  // namespace ptp::reference
