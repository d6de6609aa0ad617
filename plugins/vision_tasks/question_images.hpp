// The images of questions; several questions may be about one image.
#pragma once

#include "color_settings.hpp"
#include "picture_files.hpp"

#include <ATen/core/Tensor.h>
#include <ptp/step.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How images are to be.
struct QuestionImageOptions {
    std::optional<std::vector<int64_t>> resize_image;
    std::optional<ColorNormalization> normalize;
    ImageSize stored;    // what each must have without resize_image
    std::string remedy;  // what to do about images that are missing
};

class QuestionImages {
public:
    // Of the next question: the name of its image's file.
    void add(const std::string& file_name);

    // Looks at all files, which are in `folder`. Throws DataError with those that cannot be used.
    void open(const std::filesystem::path& folder, const QuestionImageOptions& options);

    // As images() shows them. REQUIRES: open().
    [[nodiscard]] ImageSize shown() const { return shown_; }

    [[nodiscard]] const std::string& name_of(int64_t question) const {
        return names_[images_[static_cast<size_t>(question)]];
    }

    // [B, 3, H, W], of the questions. REQUIRES: open(). Throws DataError. [any]
    [[nodiscard]] at::Tensor images(const ptp::Fetch& fetch) const;

private:
    std::vector<std::string> names_;  // of the files
    std::map<std::string, size_t, std::less<>> numbers_;
    std::vector<size_t> images_;  // of each question
    ImageSize shown_;
    PictureFiles files_{{}, 3, ImageValues({})};
};
