// The images of questions; several questions may share an image.
#pragma once

#include <color_settings.hpp>
#include <picture_files.hpp>

#include <ATen/core/Tensor.h>
#include <ptp/declare.hpp>
#include <ptp/settings.hpp>
#include <ptp/step.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

// The settings of a task with questions about images.
struct QuestionImagesConfig {
    std::filesystem::path data_folder;
    std::optional<std::string> split;
    bool stream_images = true;
    bool preload_images = false;
    std::optional<std::vector<int64_t>> resize_image;
    std::optional<ColorNormalization> normalize;
    std::optional<std::filesystem::path> questions;
    std::optional<std::vector<std::string>> samples;

    // The texts that differ between tasks.
    struct Texts {
        const char* data_folder;  // which folders it contains
        const char* obtain;       // how to get them
        const char* splits;       // "training|validation"
    };

    static constexpr auto settings(const Texts& texts) {
        return std::tuple{
            ptp::setting("data_folder", &QuestionImagesConfig::data_folder,
                         {.help = texts.data_folder,
                          .obtain = texts.obtain,
                          .purpose = PTP_PURPOSE_DATA_FOLDER}),
            ptp::setting(
                "split", &QuestionImagesConfig::split,
                {.help = "Which questions; if not given, the split with the section's name",
                 .choices = texts.splits,
                 .purpose = PTP_PURPOSE_SPLIT}),
            ptp::setting("stream_images", &QuestionImagesConfig::stream_images,
                         {.help = "Read the images; false: the questions alone"}),
            ptp::setting("preload_images", &QuestionImagesConfig::preload_images,
                         {.help = "Read all images when the run begins, and keep them in memory as "
                                  "they are shown, with 4 bytes for each channel of a pixel"}),
            ptp::setting("resize_image", &QuestionImagesConfig::resize_image, kResizeText),
            ptp::setting("normalize", &QuestionImagesConfig::normalize, kNormalizeText),
            ptp::setting("questions", &QuestionImagesConfig::questions,
                         {.help = "Questions without answers, in place of data_folder: a file with "
                                  "image|question in each line, images in the folder of the file",
                          .takes_unlabeled = true,
                          .obtain = "name a file with image|question in each line"}),
            ptp::setting("samples", &QuestionImagesConfig::samples,
                         {.help = "Such questions themselves: \"photo.jpg|What is this?\"",
                          .length = "[1, inf)",
                          .takes_unlabeled = true})};
    }
};

// A question of a user, and the file of its image.
struct AskedQuestion {
    std::filesystem::path image;  // absolute
    std::string question;
};

// Returns the questions of the settings `questions` and `samples`; nullopt if neither is given.
// Throws DataError and SettingError with the errors.
std::optional<std::vector<AskedQuestion>> asked_questions(const QuestionImagesConfig& config);

// The stream and the globals of the images. A task whose images have one size adds that to the
// values.
inline constexpr ptp::Port kQuestionImages =
    ptp::output("images", PTP_FLOAT, "B, image_depth, image_height, image_width",
                "Images, red, green, blue")
        .meaning(kNormalizedMeaning)
        .when("stream_images");
inline constexpr ptp::Global kQuestionImageHeight =
    ptp::publishes("image_height", "Height of an image, in pixels")
        .value("$resize_image[0]")
        .when("stream_images");
inline constexpr ptp::Global kQuestionImageWidth =
    ptp::publishes("image_width", "Width of an image, in pixels")
        .value("$resize_image[1]")
        .when("stream_images");
inline constexpr ptp::Global kQuestionImageDepth =
    ptp::publishes("image_depth", "Channels of an image").value("3").when("stream_images");

// The condition of outputs that users' questions do not have.
inline constexpr const char* kHasAnswers = "!questions & !samples";

// The reason why samples of a split without answers have no classes.
inline constexpr const char* kNoAnswers = "questions without answers have none to draw by";

// Returns the error in the name of an image's file; "" if there is none.
std::string image_name_problem(std::string_view name);

// The folder of the images, and facts about them.
struct QuestionImageFolder {
    std::filesystem::path path;
    // The size of each image without resize_image. REQUIRES: resize_image, if nullopt.
    std::optional<ImageSize> stored;
    std::string remedy;  // what to do about missing images
};

class QuestionImages {
public:
    // Adds the next question, by the name of its image's file, or its absolute path.
    void add(const std::string& file_name);

    // Checks all files, which are in the folder, and preloads them with preload_images. Throws
    // DataError with the unusable ones.
    void open(const QuestionImagesConfig& config, const QuestionImageFolder& folder);

    // Returns the size of images(). REQUIRES: open().
    [[nodiscard]] ImageSize shown() const { return shown_; }

    [[nodiscard]] const std::string& name_of(int64_t question) const {
        return names_[images_[static_cast<size_t>(question)]];
    }

    // Returns the size of the question's image in the file. REQUIRES: open().
    [[nodiscard]] ImageSize stored_size(int64_t question) const {
        return sizes_[images_[static_cast<size_t>(question)]];
    }

    // Returns [B, 3, H, W] for the questions. REQUIRES: open(). Throws DataError. [any]
    [[nodiscard]] at::Tensor images(const ptp::Fetch& fetch) const;

private:
    std::vector<std::string> names_;  // of the files
    std::map<std::string, size_t, std::less<>> numbers_;
    std::vector<size_t> images_;    // of each question
    std::vector<ImageSize> sizes_;  // of the files
    ImageSize shown_;
    PictureFiles files_{{}, 3, ImageValues({})};
    at::Tensor preloaded_;  // [files, 3, H, W]; undefined unless preloaded
};
