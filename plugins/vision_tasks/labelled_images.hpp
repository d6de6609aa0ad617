// The common parts of MNIST and FashionMNIST: settings, streams, globals, and the images in memory.
#pragma once

#include <image_values.hpp>
#include "idx_cache.hpp"

#include <ptp/declare.hpp>
#include <ptp/settings.hpp>
#include <ptp/setup.hpp>
#include <ptp/step.hpp>

#include <ATen/core/Tensor.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

struct Normalization {
    double mean = 0;
    double std = 1;

    static constexpr auto settings() {
        return std::tuple{
            ptp::setting("mean", &Normalization::mean,
                         {.help = "Subtracted from each pixel, which is in [0, 1]",
                          .range = "[0, 1]",
                          .is_required = true}),
            ptp::setting("std", &Normalization::std,
                         {.help = "Then divides it", .range = "(0, 1]", .is_required = true})};
    }
};

struct ImagesConfig {
    std::filesystem::path data_folder;
    std::optional<std::filesystem::path> images;
    bool use_train_data = true;
    std::optional<std::vector<int64_t>> resize_image;
    std::optional<Normalization> normalize;

    // `obtain` states how to get the files.
    static constexpr auto settings(const char* obtain) {
        return std::tuple{
            ptp::setting("data_folder", &ImagesConfig::data_folder,
                         {.help = "Folder with the four files, plain or .gz",
                          .obtain = obtain,
                          .purpose = PTP_PURPOSE_DATA_FOLDER}),
            ptp::setting("images", &ImagesConfig::images,
                         {.help = "Images without classes, in place of data_folder: an idx file, "
                                  "plain or .gz",
                          .takes_unlabeled = true,
                          .obtain = "name a file such as t10k-images-idx3-ubyte"}),
            ptp::setting("use_train_data", &ImagesConfig::use_train_data,
                         {.help = "The 60000 training images; false: the 10000 test images"}),
            ptp::setting("resize_image", &ImagesConfig::resize_image,
                         {.help = "Height and width to resize to, bilinearly, in pixels",
                          .range = "[1, inf)",
                          .length = "[2, 2]",
                          .is_preparation = true}),
            ptp::setting("normalize", &ImagesConfig::normalize,
                         {.help = "Make pixels (pixel - mean) / std instead of [0, 1]",
                          .is_preparation = true})};
    }
};

inline constexpr std::array kImagePorts{
    ptp::output("inputs", PTP_FLOAT, "B, 1, image_height, image_width", "Grey images")
        .meaning("values if normalize"),  // else in [0, 1]
    ptp::output("targets", PTP_INTEGER, "B", "Classes, 0 to 9")
        .purpose(PTP_PURPOSE_TARGETS)
        .when("!images"),
    ptp::output("labels", PTP_STRING, "B", "Names of the classes").when("!images")};

inline constexpr std::array kImageGlobals{
    ptp::publishes("num_classes", "Number of classes").purpose(PTP_PURPOSE_CLASS_COUNT).value("10"),
    ptp::publishes("image_height", "Height of an image, in pixels").value("$resize_image[0]|28"),
    ptp::publishes("image_width", "Width of an image, in pixels").value("$resize_image[1]|28"),
    ptp::publishes("image_depth", "Channels of an image").value("1"),
    ptp::publishes("label_word_mappings", "Table from a class's name to its number")
        .purpose(PTP_PURPOSE_CLASS_NAMES)};

// A label is a byte after a header of 8. The number of images in a file without labels is unknown
// until it is read.
inline constexpr const char* kImageCount =
    "if($images, *, if($use_train_data, file_size($data_folder, 'train-labels-idx1-ubyte'), "
    "file_size($data_folder, 't10k-labels-idx1-ubyte')) - 8)";

inline constexpr size_t kClasses = 10;
using ClassNames = std::array<std::string_view, kClasses>;

// The task itself: images and their classes as read from the files, constant after construction.
class LabelledImages {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr auto ports = kImagePorts;
    static constexpr auto globals = kImageGlobals;
    static constexpr const char* sample_count = kImageCount;
    static constexpr bool is_concurrent = true;

    [[nodiscard]] int64_t size() const { return count_; }
    // Throws ConfigError for images without classes.
    [[nodiscard]] std::vector<int64_t> sample_classes() const;

    // Returns images, classes, and the names of the classes. [any]
    [[nodiscard]] std::tuple<at::Tensor, at::Tensor, std::vector<std::string_view>> fetch(
        const ptp::Fetch& fetch) const;

protected:
    // Publishes the globals. `remedy` is a sentence on how to get the files. Throws DataError for
    // invalid files.
    LabelledImages(const ImagesConfig& config, const ClassNames& names, const std::string& remedy,
                   const ptp::Setup& setup);

private:
    void read_labels(const ImagesConfig& config, const std::string& remedy);
    [[nodiscard]] uint8_t label(int64_t index) const;

    ClassNames names_;
    std::shared_ptr<const IdxFile> images_;
    std::shared_ptr<const IdxFile> labels_;  // (optional) absent for images without classes
    int64_t count_ = 0;
    ImageValues values_;
};
