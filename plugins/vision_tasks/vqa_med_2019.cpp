// VQAMED2019: questions about medical images, and their answers.
//
// Ben Abacha, Hasan, Datla, Liu, Demner-Fushman, Mueller: VQA-Med, overview of the medical visual
// question answering task at ImageCLEF 2019, CLEF 2019 working notes.

#include "question_images.hpp"
#include "question_words.hpp"
#include "split.hpp"
#include "vqa_med_categories.hpp"
#include "vqa_med_files.hpp"
#include "vqa_med_samples.hpp"
#include "vqa_med_vocabularies.hpp"

#include <class_table.hpp>
#include <ptp/component.hpp>

#include <ATen/ops/empty.h>

#include <algorithm>

class VQAMED2019 {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "VQAMED2019";
    static constexpr const char* sample_count =
        "if($split or $categories, *, *)";  // known once they are read
    static constexpr const char* summary = "Questions about medical images";
    static constexpr const char* description =
        "The files of ImageCLEF's VQA-Med 2019. In ImageClef-2019-VQA-Med-Training: "
        "`QAPairsByCategory/C1_Modality_train.txt`, `C2_Plane_...`, `C3_Organ_...` and "
        "`C4_Abnormality_train.txt`, with `image|question|answer` in each line, and the images, "
        "JPEG files, in `Train_images`; in ImageClef-2019-VQA-Med-Validation the same with val, "
        "and `Val_images`; in ImageClef-2019-VQA-Med-Test `VQAMed2019_Test_Questions.txt` with "
        "`image|question`, `VQAMed2019_Test_Questions_w_Ref_Answers.txt` with "
        "`image|category|question|answer`, and `VQAMed2019_Test_Images`. The split "
        "training_validation has the samples of both, for cross-validation; test those without "
        "answers, which have the answer <UNK>.\n"
        "A question whose first word is is, was, are or does, and that has no word or, has the "
        "category BINARY, whatever its file is; in the split test others have <UNK>. `questions` and "
        "`samples` are questions without answers instead, about any images, with these categories.\n"
        "All lines are read, and the headers of all images, when a run begins; images are decoded "
        "when they are asked for, in the loader's threads. Words are what is between white space. "
        "What is random in questions is a function of the run's seed, the epoch and the sample. "
        "The class of a sample, by which samplers weight it, is its answer.\n"
        "To turn and mirror images put RandomAffine and RandomFlip into the pipeline.\n"
        "Ben Abacha et al. 2019, CLEF working notes.";

    static constexpr std::array ports{
        ptp::output("image_ids", PTP_STRING, "B", "Names of the images' files without .jpg"),
        ptp::output("category_ids", PTP_INTEGER, "B",
                    "Categories: 0 to 3 for C1 to C4, 4 for BINARY, 5 for <UNK>"),
        ptp::output("category_names", PTP_STRING, "B", "Their names"),
        kQuestionImages,
        ptp::output("image_sizes", PTP_FLOAT, "B, 2",
                    "Heights and widths of the images in their files, divided by scale_image_size")
            .when("stream_images"),
        ptp::output("questions", PTP_STRING, "B", "Questions").when("!tokenize_questions"),
        ptp::output("questions", PTP_TOKENS, "B", "Words of the questions")
            .when("tokenize_questions"),
        ptp::output("answers", PTP_STRING, "B", "Answers")
            .when("!tokenize_answers & !questions & !samples"),
        ptp::output("answers", PTP_TOKENS, "B", "Words of the answers")
            .when("tokenize_answers & !questions & !samples")};
    static constexpr std::array globals = [] {
        std::array<ptp::Global, 5 + vqa_med::kVocabularyGlobals.size()> all{
            ptp::publishes("num_categories", "Number of categories").value("6"),
            ptp::publishes("category_word_mappings", "Table from a category to its number"),
            kQuestionImageHeight, kQuestionImageWidth, kQuestionImageDepth};
        std::ranges::copy(vqa_med::kVocabularyGlobals, all.begin() + 5);
        return all;
    }();
    static constexpr bool is_concurrent = true;

    enum class Change { kLowercase, kRemovePunctuation, kRemoveStopWords, kShuffleWords, kAll };
    enum class VocabularySplit { kTraining, kTrainingValidation };

    struct Config : QuestionImagesConfig {
        std::vector<vqa_med::Chosen> categories = {vqa_med::Chosen::kAll};
        std::vector<int64_t> scale_image_size = {2414, 2323};
        std::vector<Change> question_preprocessing = {Change::kLowercase,
                                                      Change::kRemovePunctuation};
        bool tokenize_questions = false;
        std::vector<Change> answer_preprocessing;
        bool tokenize_answers = false;
        std::optional<VocabularySplit> vocabulary;

        static constexpr auto settings();
        Config() {
            data_folder = "~/data/vqa-med";
            resize_image = {224, 224};
        }
    };

    VQAMED2019(const Config& config, const ptp::Setup& setup)
        : config_(config),
          samples_({config.data_folder, config.categories, changes(config.question_preprocessing),
                    changes(config.answer_preprocessing)}) {
        const auto asked = asked_questions(config);
        const auto split = asked ? vqa_med::Split::kTest
                                 : static_cast<vqa_med::Split>(split_index(
                                       config.split, vqa_med::kSplits, setup.section()));
        has_answers_ = split != vqa_med::Split::kTest;
        const bool has_all =
            std::ranges::find(config.categories, vqa_med::Chosen::kAll) != config.categories.end();
        if (!has_answers_ && !has_all && !asked) {
            throw ptp::SettingError("categories",
                                    "the split test does not state categories; use all of them, or "
                                    "the split test_answers");
        }
        if (asked) {
            samples_.ask(*asked, images_);
        } else {
            samples_.read(split, images_);
        }
        if (config.stream_images) {
            images_.open(config, {.path = config.data_folder,
                                  .stored = std::nullopt,
                                  .remedy = "the images of the questions must be there"});
            publish_size(setup, images_.shown(), 3);
        }
        setup.publish("num_categories", vqa_med::kCategoryNames.size());
        setup.publish("category_word_mappings", ptp::support::class_table(vqa_med::kCategoryNames));
        if (config.vocabulary && !asked) {
            samples_.publish_vocabularies(*config.vocabulary == VocabularySplit::kTraining
                                              ? vqa_med::Split::kTraining
                                              : vqa_med::Split::kTrainingValidation,
                                          setup);
        }
    }

    int64_t size() const { return samples_.size(); }

    std::vector<int64_t> sample_classes() const {
        if (!has_answers_) {
            throw ptp::SettingError("split", kNoAnswers);
        }
        return samples_.answer_numbers();
    }

    std::tuple<std::vector<std::string_view>, at::Tensor, std::vector<std::string_view>, at::Tensor,
               at::Tensor, std::vector<std::string>, std::vector<std::vector<std::string>>,
               std::vector<std::string_view>, std::vector<std::vector<std::string>>>
    fetch(const ptp::Fetch& fetch) const {
        Batch batch;
        at::Tensor category_ids = at::empty({static_cast<int64_t>(fetch.size())}, at::kLong);
        for (size_t i = 0; i < fetch.size(); ++i) {
            const int64_t sample = fetch.indices()[i];
            const vqa_med::Category category = samples_.category(sample);
            category_ids.data_ptr<int64_t>()[i] = static_cast<int64_t>(category);
            batch.category_names.push_back(vqa_med::name_of(category));
            batch.image_ids.push_back(image_id(sample));
            add_texts(batch, sample, fetch.random(i));
        }
        return {std::move(batch.image_ids),
                std::move(category_ids),
                std::move(batch.category_names),
                config_.stream_images ? images_.images(fetch) : at::Tensor(),
                config_.stream_images ? sizes(fetch) : at::Tensor(),
                std::move(batch.questions),
                std::move(batch.question_words),
                std::move(batch.answers),
                std::move(batch.answer_words)};
    }

private:
    struct Batch {
        std::vector<std::string_view> image_ids;
        std::vector<std::string_view> category_names;
        std::vector<std::string> questions;
        std::vector<std::vector<std::string>> question_words;
        std::vector<std::string_view> answers;
        std::vector<std::vector<std::string>> answer_words;
    };

    static TextChanges changes(const std::vector<Change>& chosen) {
        const auto has = [&](Change wanted) {
            return std::ranges::any_of(chosen, [wanted](Change change) {
                return change == wanted || change == Change::kAll;
            });
        };
        return {.has_lowercase = has(Change::kLowercase),
                .has_punctuation_removed = has(Change::kRemovePunctuation),
                .has_stop_words_removed = has(Change::kRemoveStopWords),
                .has_words_exchanged = has(Change::kShuffleWords)};
    }

    void add_texts(Batch& batch, int64_t sample, ptp::Random random) const {
        if (config_.tokenize_questions) {
            batch.question_words.push_back(samples_.question_words(sample, random));
        } else {
            batch.questions.push_back(samples_.question(sample, random));
        }
        if (config_.tokenize_answers) {
            batch.answer_words.push_back(samples_.answer_words(sample));
        } else {
            batch.answers.push_back(samples_.answer(sample));
        }
    }

    // Returns the name of its file without folders and .jpg.
    std::string_view image_id(int64_t sample) const {
        std::string_view file = images_.name_of(sample);
        file.remove_prefix(file.rfind('/') + 1);
        return file.substr(0, file.rfind('.'));
    }

    // Returns [B, 2].
    at::Tensor sizes(const ptp::Fetch& fetch) const {
        at::Tensor sizes = at::empty({static_cast<int64_t>(fetch.size()), 2}, at::kFloat);
        float* to = sizes.data_ptr<float>();
        for (const int64_t sample : fetch.indices()) {
            const ImageSize size = images_.stored_size(sample);
            *to++ = scaled(size.height, config_.scale_image_size[0]);
            *to++ = scaled(size.width, config_.scale_image_size[1]);
        }
        return sizes;
    }
    static float scaled(int64_t pixels, int64_t scale) {
        return static_cast<float>(static_cast<double>(pixels) / static_cast<double>(scale));
    }

    Config config_;
    vqa_med::Samples samples_;
    bool has_answers_ = true;
    QuestionImages images_;
};

constexpr auto VQAMED2019::Config::settings() {
    return std::tuple_cat(
        QuestionImagesConfig::settings({"Folder with the folders of training, validation and test",
                                        vqa_med::kObtain, vqa_med::kSplits}),
        std::tuple{
            ptp::setting("categories", &Config::categories,
                         {.help = "Which files of questions: C1 modality, C2 plane, C3 organ, C4 "
                                  "abnormality",
                          .length = "[1, inf)",
                          .choices = "C1|C2|C3|C4|all",
                          .takes_list_or_one = true}),
            ptp::setting("scale_image_size", &Config::scale_image_size,
                         {.help = "Height and width that image_sizes are divided by, in pixels",
                          .range = "[1, inf)",
                          .length = "[2, 2]",
                          .is_preparation = true}),
            ptp::setting(
                "question_preprocessing", &Config::question_preprocessing,
                {.help = "What is done to questions, in the order of the choices: a stop word is "
                         "removed with the chance 0.5, two neighbors are exchanged with the "
                         "chance 0.5, anew each time",
                 .choices =
                     "lowercase|remove_punctuation|random_remove_stop_words|random_shuffle_words|all",
                 .takes_list_or_one = true}),
            ptp::setting(
                "tokenize_questions", &Config::tokenize_questions,
                {.help = "Questions as words; false: as sentences", .is_preparation = true}),
            ptp::setting("answer_preprocessing", &Config::answer_preprocessing,
                         {.help = "What is done to answers, in the order of the choices",
                          .choices = "lowercase|remove_punctuation",
                          .takes_list_or_one = true}),
            ptp::setting("tokenize_answers", &Config::tokenize_answers,
                         {.help = "Answers as words; false: as sentences"}),
            ptp::setting("vocabulary", &Config::vocabulary,
                         {.help = "Which split's questions, of all categories, and answers, of "
                                  "`categories`, make the vocabularies that are published, in "
                                  "each section the same",
                          .choices = "training|training_validation"})});
}

template const ptp_component_info& ptp::component<VQAMED2019>();
