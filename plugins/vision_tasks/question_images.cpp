#include "question_images.hpp"

#include <ptp/error.hpp>

#include <utility>

void QuestionImages::add(const std::string& file_name) {
    const auto [found, is_new] = numbers_.emplace(file_name, names_.size());
    if (is_new) {
        names_.push_back(file_name);
    }
    images_.push_back(found->second);
}

void QuestionImages::open(const std::filesystem::path& folder,
                          const QuestionImageOptions& options) {
    ImageValues::Options values = value_options(3, options.resize_image, options.normalize);
    shown_ = values.shown.value_or(options.stored);
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names_) {
        paths.push_back(folder / name);
    }
    const auto expected = options.resize_image ? std::nullopt : std::optional(options.stored);
    const std::vector<BadFile> bad = find_bad_files(paths, FileCheck::kHeads, expected);
    if (!bad.empty()) {
        throw ptp::DataError(list_problems(bad), "\n", options.remedy,
                             expected ? ", or set resize_image" : "",
                             ", or set stream_images = false");
    }
    ImageValues prepared(std::move(values));
    prepared.expect(options.stored);
    files_ = PictureFiles(std::move(paths), 3, std::move(prepared));
}

at::Tensor QuestionImages::images(const ptp::Fetch& fetch) const {
    std::vector<int64_t> numbers;
    for (const int64_t question : fetch.indices()) {
        numbers.push_back(static_cast<int64_t>(images_[static_cast<size_t>(question)]));
    }
    return files_.images(numbers, shown_);
}
