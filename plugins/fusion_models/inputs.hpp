// Input ports and globals that several models of this plugin declare.
#pragma once

#include <ptp/component.hpp>

namespace fusion {

inline constexpr ptp::Port kFeatureMaps =
    ptp::input("feature_maps", PTP_FLOAT,
               "B, feature_map_depth, feature_map_height, feature_map_width", "Encoded images");
inline constexpr ptp::Global kFeatureMapDepth = ptp::reads_if_named(
    "feature_map_depth", "Channels of the feature maps; else known from the stream");
inline constexpr ptp::Global kFeatureMapHeight = ptp::reads_if_named(
    "feature_map_height", "Height of the feature maps; else known from the stream");
inline constexpr ptp::Global kFeatureMapWidth = ptp::reads_if_named(
    "feature_map_width", "Width of the feature maps; else known from the stream");

inline constexpr ptp::Port kImageEncodings =
    ptp::input("image_encodings", PTP_FLOAT, "B, image_encoding_size", "Encoded images");
inline constexpr ptp::Global kImageEncodingSize = ptp::reads_if_named(
    "image_encoding_size", "Length of an encoded image; else known from the stream");

inline constexpr ptp::Port kQuestionEncodings =
    ptp::input("question_encodings", PTP_FLOAT, "B, question_encoding_size",
               "Encoded questions, one for each image");
inline constexpr ptp::Global kQuestionEncodingSize = ptp::reads_if_named(
    "question_encoding_size", "Length of an encoded question; else known from the stream");

}  // namespace fusion
