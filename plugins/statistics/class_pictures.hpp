// Scores of classes and their confusion matrix as pictures.
#pragma once

#include "confusion_matrix.hpp"

#include <canvas.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace measures {

// Of more classes a picture would not be readable.
inline constexpr std::int64_t kMaxPictureClasses = 200;

// Precision, recall and F1 score of each class and their averages, as bars from 0 to 1.
ptp::support::Canvas score_picture(const ConfusionMatrix& matrix,
                                   const std::vector<std::string>& names);

// The counts, targets in rows and predictions in columns; a cell is the darker, the larger its
// share of the row.
ptp::support::Canvas count_picture(const ConfusionMatrix& matrix,
                                   const std::vector<std::string>& names);

}  // namespace measures
