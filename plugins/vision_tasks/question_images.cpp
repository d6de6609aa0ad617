// Numbers the images by name, reads questions that are asked without a data set, and decodes
// images.

#include "question_images.hpp"

#include <ptp/error.hpp>
#include <text_file.hpp>
#include <words.hpp>
#include <wrong_lines.hpp>

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>

#include <algorithm>
#include <numeric>
#include <utility>

std::string image_name_problem(std::string_view name) {
    const bool is_name =
        !name.empty() && name.find('/') == std::string_view::npos && name.front() != '.';
    return is_name ? "" : ptp::detail::join("'", name, "' is not the name of an image");
}

namespace {

// Returns nullopt for a line without an image, a bar and a question.
std::optional<AskedQuestion> asked_in(std::string_view line, const std::filesystem::path& folder) {
    const size_t bar = line.find('|');
    if (bar == std::string_view::npos || bar == 0 ||
        !ptp::support::has_words(line.substr(bar + 1)) || ptp::support::invalid_utf8_at(line)) {
        return std::nullopt;
    }
    return AskedQuestion{std::filesystem::absolute(folder / line.substr(0, bar)),
                         std::string(line.substr(bar + 1))};
}

}  // namespace

std::optional<std::vector<AskedQuestion>> asked_questions(const QuestionImagesConfig& config) {
    constexpr const char* kExpected =
        "expected image|question, such as \"photo.jpg|What is this?\"";
    std::vector<AskedQuestion> asked;
    if (config.samples) {
        for (size_t i = 0; i < config.samples->size(); ++i) {
            const auto one = asked_in((*config.samples)[i], std::filesystem::current_path());
            if (!one) {
                throw ptp::SettingError("samples", "text ", i + 1, ": ", kExpected);
            }
            asked.push_back(*one);
        }
        return asked;
    }
    if (!config.questions) {
        return std::nullopt;
    }
    ptp::support::WrongLines wrong(*config.questions);
    const std::string text = ptp::support::read_text(*config.questions);
    ptp::support::for_each_line(text, [&](std::string_view line, int64_t number) {
        const auto one = asked_in(line, config.questions->parent_path());
        if (one) {
            asked.push_back(*one);
        } else if (ptp::support::has_words(line)) {
            wrong.add(number, kExpected);
        }
    });
    wrong.throw_if_any();
    if (asked.empty()) {
        throw ptp::DataError(*config.questions, ": has no questions; ", kExpected);
    }
    return asked;
}

void QuestionImages::add(const std::string& file_name) {
    const auto [found, is_new] = numbers_.emplace(file_name, names_.size());
    if (is_new) {
        names_.push_back(file_name);
    }
    images_.push_back(found->second);
}

void QuestionImages::open(const QuestionImagesConfig& config, const QuestionImageFolder& folder) {
    ImageValues::Options values = value_options(3, config.resize_image, config.normalize);
    const auto expected = config.resize_image ? std::nullopt : folder.stored;
    shown_ = values.shown.value_or(folder.stored.value_or(ImageSize()));
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names_) {
        paths.push_back(folder.path / name);
    }
    const std::vector<BadFile> bad = find_bad_files(paths, FileCheck::kHeads, expected, &sizes_);
    if (!bad.empty()) {
        throw ptp::DataError(list_problems(bad), "\n", folder.remedy,
                             expected ? ", or set resize_image" : "",
                             ", or set stream_images = false");
    }
    ImageValues prepared(std::move(values));
    prepared.expect(folder.stored.value_or(shown_));
    files_ = PictureFiles(std::move(paths), 3, std::move(prepared),
                          "\nfix: put the whole image there, or leave out what is asked about it");
    if (config.preload_images) {
        std::vector<int64_t> all(names_.size());
        std::iota(all.begin(), all.end(), 0);
        preloaded_ = files_.images(all, shown_);
    }
}

at::Tensor QuestionImages::images(const ptp::Fetch& fetch) const {
    at::Tensor numbers = at::empty({static_cast<int64_t>(fetch.size())}, at::kLong);
    std::ranges::transform(fetch.indices(), numbers.data_ptr<int64_t>(), [&](int64_t question) {
        return static_cast<int64_t>(images_[static_cast<size_t>(question)]);
    });
    if (preloaded_.defined()) {
        return preloaded_.index_select(0, numbers);
    }
    return files_.images({numbers.data_ptr<int64_t>(), fetch.size()}, shown_);
}
