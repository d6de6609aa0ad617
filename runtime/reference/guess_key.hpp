// Which key is meant by a part of one, or by a name from elsewhere.

#pragma once

#include "reference/declared.hpp"

#include <optional>
#include <string>

namespace ptp::reference {

struct Guess {
    std::optional<KeyPath> key;  // "lr" -> training.optimizer.lr
    std::string hint;            // without a key, where something is near: "; did you mean '...'?"
};

// For a key that does not exist. A short key is the end of one, or a name that other programs have
// for it ("learning_rate").
Guess guess_key(const KeyPath& key, const Declarations& declarations);

}  // namespace ptp::reference
