// The questions and answers of VQA-Med 2019 in memory.
#pragma once

#include "question_images.hpp"
#include "question_words.hpp"
#include "vqa_med_categories.hpp"
#include "vqa_med_files.hpp"

#include <ptp/random.hpp>
#include <ptp/setup.hpp>
#include <texts.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vqa_med {

struct SampleOptions {
    std::filesystem::path data_folder;
    std::vector<Chosen> categories;
    TextChanges question_changes;
    TextChanges answer_changes;
};

// The samples, numbered from 0; constant after reading.
class Samples {
public:
    explicit Samples(const SampleOptions& options);

    // Reads the files of a split, and adds the images of the questions. Throws DataError.
    void read(Split split, QuestionImages& images);

    // Adds questions without answers, and their images.
    void ask(const std::vector<AskedQuestion>& asked, QuestionImages& images);

    // Publishes the vocabularies of the training, the validation or both: words of all questions,
    // and the answers to those of the categories, with the same changes. Throws DataError.
    void publish_vocabularies(Split split, const ptp::Setup& setup) const;

    [[nodiscard]] int64_t size() const { return static_cast<int64_t>(samples_.size()); }
    // Returns the number of each sample's answer, by first appearance.
    [[nodiscard]] std::vector<int64_t> answer_numbers() const;

    // These functions are [any].
    [[nodiscard]] Category category(int64_t sample) const;
    [[nodiscard]] std::string_view answer(int64_t sample) const;
    [[nodiscard]] std::vector<std::string> answer_words(int64_t sample) const;
    [[nodiscard]] std::string question(int64_t sample, ptp::Random random) const;
    [[nodiscard]] std::vector<std::string> question_words(int64_t sample, ptp::Random random) const;

private:
    struct Sample {
        int64_t answer = 0;  // its number
        Category category = Category::kUnknown;
    };

    [[nodiscard]] Category category_of(const Record& record) const;

    SampleOptions options_;
    YesNoQuestions yes_no_;
    TextPreparation question_preparation_;
    TextPreparation answer_preparation_;
    std::vector<Sample> samples_;
    std::vector<std::string> answers_;  // by their numbers
    ptp::support::Texts questions_;
};

}  // namespace vqa_med
