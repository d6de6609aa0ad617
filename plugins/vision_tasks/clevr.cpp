// CLEVR: questions about images of simple shapes, and their answers.
//
// Johnson, Hariharan, van der Maaten, Fei-Fei, Zitnick, Girshick: CLEVR, a diagnostic dataset for
// compositional language and elementary visual reasoning, 2017, arXiv 1612.06890.

#include <color_settings.hpp>
#include "clevr_words.hpp"
#include "json_records.hpp"
#include "question_images.hpp"
#include "question_vocabularies.hpp"
#include "split.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>
#include <texts.hpp>
#include <wrong_lines.hpp>

#include <ATen/ops/empty.h>

#include <charconv>
#include <optional>

class CLEVR {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "CLEVR";
    static constexpr const char* sample_count = "if($split, *, *)";  // known once they are read
    static constexpr const char* summary = "Questions about images of simple shapes";
    static constexpr const char* description =
        "The files of CLEVR v1.0: `questions/CLEVR_train_questions.json`, `..._val_...` and "
        "`..._test_...`, with the PNG files of `images/train/`, `images/val/` and `images/test/`; or "
        "of CLEVR-CoGenT, `trainA`, `valA` and `valB`. Each question is a sample. There are 28 "
        "answers, numbered in the order of their bytes, and 13 types of questions, numbered as in "
        "PyTorchPipe. Questions without an answer, those of the split test, have the answer <UNK> "
        "and the target -100; without a family they have the type -1, <UNK>.\n"
        "Images have 320 rows of 480 pixels. They are decoded when they are asked for, in the "
        "loader's threads; that all are there, and have the right size, is found out before a "
        "training begins. Of the questions only what the streams need is kept in memory. With "
        "vocabulary question_word_mappings has the words of a split's questions, which are what is "
        "between white space, unchanged. `questions` and `samples` are questions without answers "
        "instead, about any images; those of another size need resize_image.\n"
        "Johnson et al. 2017, arXiv 1612.06890.";

    static constexpr std::array ports{
        ptp::output("image_ids", PTP_STRING, "B", "Names of the images' files"),
        ptp::output("question_type_ids", PTP_INTEGER, "B", "Types of the questions, 0 to 12")
            .when(kHasAnswers),
        ptp::output("question_type_names", PTP_STRING, "B", "Their names, such as query_size")
            .when(kHasAnswers),
        kQuestionImages,
        ptp::output("questions", PTP_STRING, "B", "Questions"),
        ptp::output("answers", PTP_STRING, "B", "Answers").when(kHasAnswers),
        ptp::output("targets", PTP_INTEGER, "B", "Numbers of the answers, 0 to 27")
            .purpose(PTP_PURPOSE_TARGETS)
            .when(kHasAnswers)};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of answers")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("28"),
        ptp::publishes("label_word_mappings", "Table from an answer to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES),
        kQuestionImageHeight.value("$resize_image[0]|320"),
        kQuestionImageWidth.value("$resize_image[1]|480"),
        kQuestionImageDepth,
        kQuestionWordsGlobal};
    static constexpr bool is_concurrent = true;

    static constexpr const char* kObtain =
        "take CLEVR_v1.0.zip or CLEVR_CoGenT_v1.0.zip from "
        "https://cs.stanford.edu/people/jcjohns/clevr/, unpack it, and set data_folder to its folder";
    static constexpr const char* kSplits =
        "training|validation|test|cogent_a_training|cogent_a_validation|cogent_b_validation";

    struct Config : QuestionImagesConfig {
        std::optional<std::string> vocabulary;

        static constexpr auto settings() {
            return std::tuple_cat(
                QuestionImagesConfig::settings(
                    {"Folder with the folders questions and images", kObtain, kSplits}),
                std::tuple{ptp::setting(
                    "vocabulary", &Config::vocabulary,
                    {.help = kVocabularyHelp, .choices = "training|cogent_a_training"})});
        }
        Config() { data_folder = "~/data/CLEVR_v1.0"; }
    };

    CLEVR(const Config& config, const ptp::Setup& setup) {
        const auto asked = asked_questions(config);
        const std::string part = asked ? "" : part_of(config.split, setup);
        if (asked) {
            ask(*asked);
        } else {
            read_questions(file_of(config, part));
        }
        if (config.stream_images) {
            images_.open(config,
                         {.path = config.data_folder / "images" / part,
                          .stored = ImageSize{320, 480},
                          .remedy = asked ? "name images that are there"
                                          : "the images of the split are in images/" + part});
            publish_size(setup, images_.shown(), 3);
        }
        setup.publish("num_classes", kClevrAnswers.size());
        setup.publish("label_word_mappings", ptp::support::class_table(kClevrAnswers));
        if (config.vocabulary && !asked) {
            const std::string chosen = part_of(config.vocabulary, setup);
            const std::filesystem::path file = file_of(config, chosen);
            if (!publish_saved_words({&kQuestionWordsGlobal, 1}, {&file, 1}, setup)) {
                publish_words(kQuestionWordsGlobal, chosen == part ? words() : words_in(file),
                              setup);
            }
        }
        is_streaming_ = config.stream_images;
    }

    int64_t size() const { return static_cast<int64_t>(questions_.size()); }

    std::vector<int64_t> sample_classes() const {
        if (std::ranges::find(answers_, kNoAnswer) != answers_.end()) {
            throw ptp::SettingError("split", kNoAnswers);
        }
        return {answers_.begin(), answers_.end()};
    }

    std::tuple<std::vector<std::string_view>, at::Tensor, std::vector<std::string_view>, at::Tensor,
               std::vector<std::string_view>, std::vector<std::string_view>, at::Tensor>
    fetch(const ptp::Fetch& fetch) const {
        std::vector<std::string_view> image_ids;
        std::vector<std::string_view> type_names;
        std::vector<std::string_view> answers;
        at::Tensor type_ids = at::empty({static_cast<int64_t>(fetch.size())}, at::kLong);
        at::Tensor targets = at::empty({static_cast<int64_t>(fetch.size())}, at::kLong);
        for (size_t i = 0; i < fetch.size(); ++i) {
            const int64_t index = fetch.indices()[i];
            const auto question = static_cast<size_t>(index);
            image_ids.emplace_back(images_.name_of(index));
            type_names.push_back(named(kClevrTypes, types_[question]));
            answers.push_back(named(kClevrAnswers, answers_[question]));
            type_ids.data_ptr<int64_t>()[i] = types_[question];
            targets.data_ptr<int64_t>()[i] = answers_[question];
        }
        return {std::move(image_ids),
                std::move(type_ids),
                std::move(type_names),
                is_streaming_ ? images_.images(fetch) : at::Tensor(),
                questions_.at(fetch.indices()),
                std::move(answers),
                std::move(targets)};
    }

private:
    static constexpr std::array<const char*, 6> kParts{"train",  "val",  "test",
                                                       "trainA", "valA", "valB"};
    static constexpr int16_t kNoAnswer = -100;
    static constexpr int16_t kNoType = -1;

    template <class Names>
    static std::string_view named(const Names& names, int16_t number) {
        return number < 0 ? std::string_view("<UNK>") : names[static_cast<size_t>(number)];
    }

    static std::string part_of(const std::optional<std::string>& split, const ptp::Setup& setup) {
        return kParts[static_cast<size_t>(split_index(split, kSplits, setup.section()))];
    }

    static std::filesystem::path file_of(const Config& config, const std::string& part) {
        return config.data_folder / "questions" / ("CLEVR_" + part + "_questions.json");
    }

    // Returns the words of the questions of all samples.
    ptp::support::WordTable words() const {
        ptp::support::WordTable words;
        for (size_t i = 0; i < questions_.size(); ++i) {
            words.add_text(questions_[i]);
        }
        return words;
    }

    // Returns the words of another split's questions.
    static ptp::support::WordTable words_in(const std::filesystem::path& file) {
        CLEVR other;
        other.read_questions(file);
        return other.words();
    }

    CLEVR() = default;

    void read_questions(const std::filesystem::path& file) {
        constexpr std::array<std::string_view, 4> kMembers{"image_filename", "question", "answer",
                                                           "question_family_index"};
        ptp::support::Problems problems;
        const auto use = [&](JsonRecord& record) {
            const std::string problem = add(record);
            if (!problem.empty()) {
                problems.add(ptp::detail::join(file, ": question ", record.number, ": ", problem));
            }
        };
        read_json_records({file, "questions", kMembers, kObtain}, use);
        problems.throw_if_any();
        if (questions_.size() == 0) {
            throw ptp::DataError(file, ": has no questions");
        }
    }

    // Returns nullopt for anything but the number of a family.
    static std::optional<size_t> family_in(const std::string& text) {
        size_t number = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        const bool is_number = read.ec == std::errc() && read.ptr == end;
        return is_number && number < kClevrFamilies ? std::optional(number) : std::nullopt;
    }

    void ask(const std::vector<AskedQuestion>& asked) {
        for (const AskedQuestion& one : asked) {
            images_.add(one.image.string());
            questions_.add(one.question);
            answers_.push_back(kNoAnswer);
            types_.push_back(kNoType);
        }
    }

    // Returns "" if the question is valid.
    std::string add(const JsonRecord& record) {
        const auto& image = record.values[0];
        const auto& question = record.values[1];
        const auto& answer = record.values[2];
        const auto& family = record.values[3];
        if (!image || !question) {
            return image ? "has no text 'question'" : "has no text 'image_filename'";
        }
        if (std::string problem = image_name_problem(*image); !problem.empty()) {
            return problem;
        }
        const auto found = answer ? std::ranges::find(kClevrAnswers, *answer) : kClevrAnswers.end();
        if (answer && found == kClevrAnswers.end()) {
            return "the answer is '" + *answer + "', which is not one of the 28 of CLEVR";
        }
        const std::optional<size_t> number = family ? family_in(*family) : std::nullopt;
        if (family && !number) {
            return "question_family_index is '" + *family + "', expected 0 to 89";
        }
        images_.add(*image);
        questions_.add(*question);
        answers_.push_back(answer ? static_cast<int16_t>(found - kClevrAnswers.begin())
                                  : kNoAnswer);
        types_.push_back(family ? kClevrTypeOfFamily[*number] : kNoType);
        return "";
    }

    QuestionImages images_;
    ptp::support::Texts questions_;
    std::vector<int16_t> answers_;
    std::vector<int16_t> types_;
    bool is_streaming_ = true;
};

template const ptp_component_info& ptp::component<CLEVR>();
