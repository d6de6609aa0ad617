// Computes the edit distance and the longest common subsequence by dynamic programming.

#include "edits.hpp"

#include <algorithm>
#include <numeric>

namespace sentences {

int64_t edit_distance(const Pair& pair) {
    // Row i has the distances from the first i words of the target to the first 0, 1, ... of the
    // prediction.
    std::vector<int64_t> row(pair.prediction.size() + 1);
    std::iota(row.begin(), row.end(), int64_t{0});
    for (const int64_t word : pair.target) {
        int64_t diagonal = row[0]++;
        for (std::size_t j = 1; j < row.size(); ++j) {
            const int64_t replaced = diagonal + (pair.prediction[j - 1] == word ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

int64_t longest_common_subsequence(const Pair& pair) {
    std::vector<int64_t> row(pair.prediction.size() + 1, 0);
    for (const int64_t word : pair.target) {
        int64_t diagonal = 0;
        for (std::size_t j = 1; j < row.size(); ++j) {
            const int64_t longer =
                pair.prediction[j - 1] == word ? diagonal + 1 : std::max(row[j], row[j - 1]);
            diagonal = row[j];
            row[j] = longer;
        }
    }
    return row.back();
}

}  // namespace sentences
