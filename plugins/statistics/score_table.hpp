// A confusion matrix as people read it.
#pragma once

#include "confusion_matrix.hpp"

#include <string>
#include <vector>

namespace measures {

// Precision, recall, F1 score and support of each class and their averages, a line each; `names` of
// the classes, by number.
std::string score_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names);

// The counts, a line for each target.
std::string count_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names);

}  // namespace measures
