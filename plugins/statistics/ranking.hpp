// Measures of scores that rank positives above negatives.
#pragma once

#include <cstdint>
#include <vector>

namespace measures {

struct Ranked {
    double score;  // not nan
    bool is_positive;
};

// Returns the share of pairs of a positive and a negative in which the positive has the higher
// score, with equal ones counting half; nan if there are no such pairs. H. B. Mann and D. R.
// Whitney, On a Test of Whether one of Two Random Variables is Stochastically Larger than the
// Other, 1947.
double area_under_roc(std::vector<Ranked> ranked);

// Returns the sum of precisions, each weighted by the share of positives that the next lower score
// adds to those above it; nan if there are no positives.
double average_precision(std::vector<Ranked> ranked);

// Returns whether scores of classes, [n, width] row by row, are neither numbers in [0, 1] nor
// log-probabilities, so that those of one class compare between rows only after a softmax.
bool are_raw(const std::vector<double>& scores, std::int64_t width);

// Returns the softmax of each row of [n, width]; infinite scores share what there is.
std::vector<double> probabilities(const std::vector<double>& scores, std::int64_t width);

}  // namespace measures
