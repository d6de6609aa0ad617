// The common parts of CIFAR10 and CIFAR100: settings, and the images in memory.
#pragma once

#include <color_settings.hpp>
#include <image_values.hpp>
#include "cifar_file.hpp"

#include <ptp/settings.hpp>
#include <ptp/setup.hpp>
#include <ptp/step.hpp>

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

struct CifarConfig {
    std::filesystem::path data_folder;
    bool use_train_data = true;
    std::optional<std::vector<int64_t>> resize_image;
    std::optional<ColorNormalization> normalize;

    // `obtain` states how to get the files.
    static constexpr auto settings(const char* obtain) {
        return std::tuple{
            ptp::setting("data_folder", &CifarConfig::data_folder,
                         {.help = "Folder with the binary files, or with the folder that the "
                                  "archive is unpacked to",
                          .obtain = obtain,
                          .purpose = PTP_PURPOSE_DATA_FOLDER}),
            ptp::setting("use_train_data", &CifarConfig::use_train_data,
                         {.help = "The 50000 training images; false: the 10000 test images"}),
            ptp::setting("resize_image", &CifarConfig::resize_image,
                         {.help = kResizeText.help,
                          .range = "[1, inf)",
                          .length = "[2, 2]",
                          .is_preparation = true}),
            ptp::setting("normalize", &CifarConfig::normalize, kNormalizeText)};
    }
};

// Images and labels as read from the files, constant after construction.
class CifarImages {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr bool is_concurrent = true;

    [[nodiscard]] int64_t size() const { return records_.count; }

protected:
    // Publishes the size of an image. Warns if the number of images differs from the original.
    // Throws DataError for invalid files.
    CifarImages(const CifarConfig& config, const CifarRequest& request, const ptp::Setup& setup);

    [[nodiscard]] std::vector<int64_t> classes(size_t which) const;  // of all samples

    [[nodiscard]] at::Tensor images(const ptp::Fetch& fetch) const;  // [B, 3, H, W]
    [[nodiscard]] at::Tensor targets(const ptp::Fetch& fetch,
                                     size_t which) const;  // [B], of this label byte
    [[nodiscard]] std::vector<std::string_view> labels(
        const ptp::Fetch& fetch, size_t which, std::span<const std::string_view> names) const;

private:
    [[nodiscard]] uint8_t label(int64_t index, size_t which) const {
        return records_.labels[which][static_cast<size_t>(index)];
    }

    CifarRecords records_;
    ImageValues values_;
};
