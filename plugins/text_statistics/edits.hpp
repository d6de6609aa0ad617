// What two sentences have in common, word by word.
#pragma once

#include "sentences.hpp"

namespace sentences {

// The least number of words that are inserted, deleted or replaced to make one of the other.
// Levenshtein: Binary codes capable of correcting deletions, insertions and reversals, 1966.
int64_t edit_distance(const Pair& pair);

// Words of the longest sequence that both have in this order, with gaps.
int64_t longest_common_subsequence(const Pair& pair);

}  // namespace sentences
