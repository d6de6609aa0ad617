// Settings and globals of the tasks with colored images.
#pragma once

#include "image_values.hpp"

#include <ptp/declare.hpp>
#include <ptp/settings.hpp>
#include <ptp/setup.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

struct ColorNormalization {
    std::vector<double> mean;
    std::vector<double> std;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("mean", &ColorNormalization::mean,
                         {.help = "Subtracted from each pixel, which is in [0, 1]; one number, or "
                                  "one for each channel",
                          .range = "[0, 1]",
                          .length = "[1, 3]",
                          .is_required = true,
                          .takes_list_or_one = true}),
            ptp::setting("std", &ColorNormalization::std,
                         {.help = "Then divides it; one number, or one for each channel",
                          .range = "(0, 1]",
                          .length = "[1, 3]",
                          .is_required = true,
                          .takes_list_or_one = true})};
    }
};

// Returns how images are resized and normalized, by two settings. Throws ConfigError if the length
// of a list differs from the number of channels.
ImageValues::Options value_options(int64_t channels,
                                   const std::optional<std::vector<int64_t>>& resize_image,
                                   const std::optional<ColorNormalization>& normalize);

// Images that are not normalized are in [0, 1].
inline constexpr const char* kNormalizedMeaning = "values if normalize";

// The settings of tasks that prepare images in the same way.
inline constexpr ptp::SettingText kNormalizeText{
    .help = "Make pixels (pixel - mean) / std instead of [0, 1]", .is_preparation = true};
inline constexpr ptp::SettingText kResizeText{
    .help = "Height and width to resize to, in pixels: bilinear, with antialiasing",
    .range = "[1, 10000]",
    .length = "[2, 2]",
    .is_preparation = true};
inline constexpr ptp::SettingText kRequiredResizeText = [] {
    ptp::SettingText text = kResizeText;
    text.is_required = true;
    return text;
}();
inline constexpr ptp::SettingText kCutText{
    .help =
        "Cut the largest part of the right shape out of the middle and resize that, instead of "
        "distorting the image",
    .is_preparation = true};
inline constexpr ptp::SettingText kDepthText{
    .help = "Channels: 1 for grey images, 3 for red, green and blue",
    .range = "[1, 3]",
    .is_preparation = true};

// For tasks with a setting image_depth.
inline constexpr ptp::Requirement kNumbersOfChannels =
    ptp::requirement("max(length($normalize.mean), length($normalize.std)) <= $image_depth",
                     "must have one number for all channels, or as many as image_depth");

// Throws ConfigError unless this is a valid number of channels.
void check_depth(int64_t image_depth);

// Publishes image_height, image_width and image_depth.
void publish_size(const ptp::Setup& setup, ImageSize size, int64_t channels);
