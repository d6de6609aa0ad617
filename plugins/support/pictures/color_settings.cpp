// Checks `normalize` and `resize_image`, and publishes the sizes of the images.

#include "color_settings.hpp"

#include <ptp/error.hpp>

namespace {

void check_length(const char* name, const std::vector<double>& numbers, int64_t channels) {
    if (numbers.size() != 1 && numbers.size() != static_cast<size_t>(channels)) {
        throw ptp::ConfigError("normalize.", name, ": has ", numbers.size(),
                               " numbers; expected one, or one for each channel of the images, of "
                               "which there ",
                               channels == 1 ? "is " : "are ", channels);
    }
}

}  // namespace

ImageValues::Options value_options(int64_t channels,
                                   const std::optional<std::vector<int64_t>>& resize_image,
                                   const std::optional<ColorNormalization>& normalize) {
    ImageValues::Options options{.channels = channels};
    if (normalize) {
        check_length("mean", normalize->mean, channels);
        check_length("std", normalize->std, channels);
        options.mean = normalize->mean;
        options.std = normalize->std;
    }
    if (resize_image) {
        options.shown = {resize_image->at(0), resize_image->at(1)};
    }
    return options;
}

void check_depth(int64_t image_depth) {
    if (image_depth != 1 && image_depth != 3) {
        throw ptp::ConfigError("image_depth = ", image_depth, ": must be 1 or 3");
    }
}

void publish_size(const ptp::Setup& setup, ImageSize size, int64_t channels) {
    setup.publish("image_height", size.height);
    setup.publish("image_width", size.width);
    setup.publish("image_depth", channels);
}
