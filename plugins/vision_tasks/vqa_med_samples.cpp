// Reads the chosen categories, and numbers their answers.

#include "vqa_med_samples.hpp"

#include "vqa_med_vocabularies.hpp"

#include <ptp/error.hpp>

#include <cstddef>
#include <functional>
#include <map>

namespace vqa_med {

Samples::Samples(const SampleOptions& options)
    : options_(options),
      question_preparation_(options.question_changes),
      answer_preparation_(options.answer_changes) {}

Category Samples::category_of(const Record& record) const {
    return yes_no_.has(record.question) ? Category::kBinary : record.category;
}

void Samples::read(Split split, QuestionImages& images) {
    std::map<std::string, int64_t, std::less<>> numbers;  // numbers of the answers
    for (const Source& source : sources_of(split, options_.categories)) {
        const size_t before = samples_.size();
        read_questions(options_.data_folder, source, options_.categories,
                       [&](const Record& record) {
                           const auto [answer, is_new] =
                               numbers.emplace(answer_preparation_.cleaned(record.answer),
                                               static_cast<int64_t>(answers_.size()));
                           if (is_new) {
                               answers_.push_back(answer->first);
                           }
                           samples_.push_back({answer->second, category_of(record)});
                           questions_.add(question_preparation_.cleaned(record.question));
                           images.add(ptp::detail::join(source.images, "/", record.image, ".jpg"));
                       });
        if (samples_.size() == before) {
            throw ptp::DataError(options_.data_folder / source.file, ": has no questions");
        }
    }
}

void Samples::ask(const std::vector<AskedQuestion>& asked, QuestionImages& images) {
    answers_ = {"<UNK>"};
    for (const AskedQuestion& one : asked) {
        const Record record{
            .image = {}, .question = one.question, .answer = {}, .category = Category::kUnknown};
        samples_.push_back({0, category_of(record)});
        questions_.add(question_preparation_.cleaned(one.question));
        images.add(one.image.string());
    }
}

void Samples::publish_vocabularies(Split split, const ptp::Setup& setup) const {
    const std::vector<Chosen> all{Chosen::kAll};
    std::vector<std::filesystem::path> files;
    for (const Source& source : sources_of(split, all)) {
        files.push_back(options_.data_folder / source.file);
    }
    if (publish_saved_words(kVocabularyGlobals, files, setup)) {
        return;
    }
    Vocabularies vocabularies;
    for (const Source& source : sources_of(split, all)) {
        const bool has_answers = has(options_.categories, *source.category);
        read_questions(options_.data_folder, source, all, [&](const Record& record) {
            vocabularies.add_question(question_preparation_.cleaned(record.question));
            if (has_answers) {
                vocabularies.add_answer(category_of(record),
                                        answer_preparation_.cleaned(record.answer));
            }
        });
    }
    vocabularies.publish(setup);
}

std::vector<int64_t> Samples::answer_numbers() const {
    std::vector<int64_t> numbers;
    for (const Sample& sample : samples_) {
        numbers.push_back(sample.answer);
    }
    return numbers;
}

Category Samples::category(int64_t sample) const {
    return samples_[static_cast<size_t>(sample)].category;
}

std::string_view Samples::answer(int64_t sample) const {
    return answers_[static_cast<size_t>(samples_[static_cast<size_t>(sample)].answer)];
}

std::vector<std::string> Samples::answer_words(int64_t sample) const {
    return answer_preparation_.words(answer(sample), ptp::Random(0));
}

std::string Samples::question(int64_t sample, ptp::Random random) const {
    const std::string_view question = questions_[static_cast<size_t>(sample)];
    return question_preparation_.is_random() ? joined(question_preparation_.words(question, random))
                                             : std::string(question);
}

std::vector<std::string> Samples::question_words(int64_t sample, ptp::Random random) const {
    return question_preparation_.words(questions_[static_cast<size_t>(sample)], random);
}

}  // namespace vqa_med
