// A confusion matrix as people read it.
#pragma once

#include "confusion_matrix.hpp"

#include <string>
#include <vector>

namespace measures {

// Rows of cells; the first has the titles of the columns, and the first column the titles of the
// rows.
using Table = std::vector<std::vector<std::string>>;

// Precision, recall, F1 score and support of each class and their averages, a row each; `names` of
// the classes, by number.
Table score_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names);

// The counts, a row for each target.
Table count_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names);

// For the log: each row on a new line, the first column to the left, the others to the right.
std::string text_of(const Table& rows);

// For a file.
std::string csv_of(const Table& rows);

}  // namespace measures
