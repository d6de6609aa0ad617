// Formats a confusion matrix for people.
#pragma once

#include "confusion_matrix.hpp"

#include <string>
#include <vector>

namespace measures {

// Rows of cells; the first row has the titles of the columns, and the first column those of the
// rows.
using Table = std::vector<std::vector<std::string>>;

// Returns precision, recall, F1 score and support of each class and their averages, in a row each;
// `names` are those of the classes, by number.
Table score_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names);

// Returns the counts, with a row for each target.
Table count_table(const ConfusionMatrix& matrix, const std::vector<std::string>& names);

// Returns text for the log: a line for each row, with the first column aligned to the left, the
// others to the right.
std::string text_of(const Table& rows);

// Returns text for a file.
std::string csv_of(const Table& rows);

}  // namespace measures
