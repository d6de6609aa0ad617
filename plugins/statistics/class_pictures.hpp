// Draws scores of classes and their confusion matrix.
#pragma once

#include "confusion_matrix.hpp"

#include <canvas.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace measures {

// The maximum number of classes for a readable picture.
inline constexpr std::int64_t kMaxPictureClasses = 200;

// Draws precision, recall and F1 score of each class and their averages, as bars from 0 to 1.
ptp::support::Canvas score_picture(const ConfusionMatrix& matrix,
                                   const std::vector<std::string>& names);

// Draws the counts, targets in rows and predictions in columns; cells with a larger share of their
// row are darker.
ptp::support::Canvas count_picture(const ConfusionMatrix& matrix,
                                   const std::vector<std::string>& names);

}  // namespace measures
