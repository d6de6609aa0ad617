// The common parts of augmentations: their streams, and one draw for all streams of a sample.
//
// An augmentation T has a type Draw, `Draw draw(ptp::Random&, ImageSize) const`,
// `at::Tensor image(const at::Tensor&, const Draw&) const` for [C, H, W] and, for its masks of
// [H, W], `at::Tensor mask(const at::Tensor&, const Draw&) const`. Outside of training it uses
// `Draw no_draw(ImageSize) const`.
#pragma once

#include <ptp/declare.hpp>
#include <ptp/error.hpp>
#include <ptp/settings.hpp>
#include <ptp/step.hpp>
#include <ptp/values.hpp>

#include <ATen/core/Tensor.h>
#include <ATen/ops/stack.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

struct ImageSize {
    int64_t height = 0;
    int64_t width = 0;

    bool operator==(const ImageSize&) const = default;
};

struct AugmentationConfig {
    std::vector<std::string> more_streams;
    std::vector<std::string> more_outputs;
    bool always = false;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("more_streams", &AugmentationConfig::more_streams,
                         {.help = "Further streams of images that get the same draw"}),
            ptp::setting("more_outputs", &AugmentationConfig::more_outputs,
                         {.help = "What these are called afterwards, in the same order"}),
            ptp::setting("always", &AugmentationConfig::always,
                         {.help = "Whether it acts in validation, test and processing too"})};
    }
};

// The streams of augmentations that move pixels, with masks that move along.
struct MovingConfig : AugmentationConfig {
    std::vector<std::string> mask_streams;
    std::vector<std::string> mask_outputs;

    static constexpr auto settings() {
        return std::tuple_cat(
            AugmentationConfig::settings(),
            std::tuple{
                ptp::setting(
                    "mask_streams", &MovingConfig::mask_streams,
                    {.help = "Streams with a class for each pixel that get the same draw"}),
                ptp::setting("mask_outputs", &MovingConfig::mask_outputs,
                             {.help = "What these are called afterwards, in the same order"})});
    }
};

inline constexpr ptp::Port kImages =
    ptp::input("inputs", PTP_FLOAT, "B, channels, height, width", "Images");
inline constexpr ptp::Port kMoreImages =
    ptp::input("more_inputs", PTP_FLOAT, "B, *, height, width", "Further images")
        .streams_from("more_streams");
inline constexpr ptp::Port kMasks =
    ptp::input("masks", PTP_INTEGER, "B, height, width", "A class for each pixel")
        .streams_from("mask_streams");

// Throws SettingError unless there is one output for each of these streams.
void check_output_counts(const char* streams_setting, const std::vector<std::string>& streams,
                         const char* outputs_setting, const std::vector<std::string>& outputs);
void check_output_counts(const AugmentationConfig& config);
void check_output_counts(const MovingConfig& config);

ImageSize image_size(const at::Tensor& batch);  // of [B, C, H, W]

// Returns the stacked results of `change(sample, place)` for each sample.
template <class Change>
at::Tensor for_each_sample(const at::Tensor& batch, Change change) {
    std::vector<at::Tensor> changed;
    for (int64_t place = 0; place < batch.size(0); ++place) {
        changed.push_back(change(batch[place], static_cast<std::size_t>(place)));
    }
    return at::stack(changed);
}

// Draws once for each sample of a batch.
template <class T>
std::vector<typename T::Draw> draw_all(const T& augmentation, const ptp::Samples& samples,
                                       ImageSize size, bool always) {
    std::vector<typename T::Draw> draws;
    for (std::size_t place = 0; place < samples.size(); ++place) {
        if (samples.is_training() || always) {
            ptp::Random random = samples.random(place);
            draws.push_back(augmentation.draw(random, size));
        } else {
            draws.push_back(augmentation.no_draw(size));
        }
    }
    return draws;
}

template <class T>
at::Tensor change_images(const T& augmentation, const at::Tensor& batch,
                         const std::vector<typename T::Draw>& draws) {
    return for_each_sample(batch, [&](const at::Tensor& image, std::size_t place) {
        return augmentation.image(image, draws[place]);
    });
}

template <class T>
std::vector<at::Tensor> change_more(const T& augmentation, const ptp::List<at::Tensor>& batches,
                                    const std::vector<typename T::Draw>& draws) {
    std::vector<at::Tensor> changed;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        changed.push_back(change_images(augmentation, batches[i], draws));
    }
    return changed;
}

template <class T>
std::vector<at::Tensor> change_masks(const T& augmentation, const ptp::List<at::Tensor>& batches,
                                     const std::vector<typename T::Draw>& draws) {
    std::vector<at::Tensor> changed;
    for (std::size_t i = 0; i < batches.size(); ++i) {
        changed.push_back(
            for_each_sample(batches[i], [&](const at::Tensor& mask, std::size_t place) {
                return augmentation.mask(mask, draws[place]);
            }));
    }
    return changed;
}

// Returns the list unchanged.
std::vector<at::Tensor> unchanged(const ptp::List<at::Tensor>& batches);

// Returns [a, b] for a setting of two numbers, or of one number a, which means [middle - a, middle
// + a]. Throws SettingError with the setting's name if b < a.
std::array<double, 2> range_of(const char* setting, const std::vector<double>& given,
                               double middle);
