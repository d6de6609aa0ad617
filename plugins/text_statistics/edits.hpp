// Compares two sentences word by word.
#pragma once

#include "sentences.hpp"

namespace sentences {

// Returns the minimum number of words to insert, delete or replace to transform one sentence into
// the other. Levenshtein: Binary codes capable of correcting deletions, insertions and reversals,
// 1966.
int64_t edit_distance(const Pair& pair);

// Returns the number of words of the longest common subsequence, which may have gaps.
int64_t longest_common_subsequence(const Pair& pair);

}  // namespace sentences
