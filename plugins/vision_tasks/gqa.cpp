// GQA: questions about photographs, and their answers.
//
// Hudson, Manning: GQA, a new dataset for real-world visual reasoning and compositional question
// answering, 2019, arXiv 1902.09506.

#include <color_settings.hpp>
#include "json_records.hpp"
#include "question_images.hpp"
#include "question_vocabularies.hpp"
#include "split.hpp"

#include <ptp/component.hpp>
#include <texts.hpp>
#include <wrong_lines.hpp>

class GQA {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "GQA";
    static constexpr const char* sample_count = "if($split, *, *)";  // known once they are read
    static constexpr const char* summary = "Questions about photographs";
    static constexpr const char* description =
        "The files of GQA 1.2 in `questions1.2/`, and the JPEG files of `images/`. Splits and their "
        "files: training: `train_all_questions/train_all_questions_0.json` to `..._9.json`; "
        "training_0: the first of them; validation: `val_all_questions.json`; test_dev: "
        "`testdev_all_questions.json`; test: `test_all_questions.json`, whose questions have the "
        "answer <UNK>. Photographs of validation were seen by most detectors of objects: to compare "
        "with others, use test_dev. Each question is a sample, in the order of the files.\n"
        "Images are decoded when they are asked for, in the loader's threads; that all are there is "
        "found out before a training begins. Of the questions only what the streams need is kept "
        "in memory. With vocabulary there are tables of the words of a split's questions and "
        "answers, which are what is between white space, unchanged, and of its answers. `questions` and "
        "`samples` are questions without answers instead, about any images.\n"
        "Hudson and Manning 2019, arXiv 1902.09506.";

    static constexpr std::array ports{
        ptp::output("sample_ids", PTP_STRING, "B", "Keys of the questions"),
        ptp::output("image_ids", PTP_STRING, "B", "Names of the images' files without .jpg"),
        kQuestionImages,
        ptp::output("questions", PTP_STRING, "B", "Questions"),
        ptp::output("answers", PTP_STRING, "B", "Answers of a word or two").when(kHasAnswers),
        ptp::output("full_answers", PTP_STRING, "B", "Answers as sentences").when(kHasAnswers)};
    static constexpr ptp::Global kFullAnswerWordsGlobal = vocabulary_global(
        "full_answer_word_mappings", "Words of full answers: a table to their indices");
    static constexpr std::array kVocabularies{kQuestionWordsGlobal, kAnswerWordsGlobal,
                                              kAnswersGlobal, kFullAnswerWordsGlobal};
    static constexpr std::array globals{
        kQuestionImageHeight, kQuestionImageWidth, kQuestionImageDepth,   kQuestionWordsGlobal,
        kAnswerWordsGlobal,   kAnswersGlobal,      kFullAnswerWordsGlobal};
    static constexpr bool is_concurrent = true;

    static constexpr const char* kObtain =
        "take the questions, version 1.2, and the images from "
        "https://cs.stanford.edu/people/dorarad/gqa/download.html, unpack them, and set data_folder "
        "to the folder with questions1.2 and images";
    static constexpr const char* kSplits = "training_0|training|validation|test_dev|test";

    struct Config : QuestionImagesConfig {
        std::optional<std::string> vocabulary;

        static constexpr auto settings() {
            return std::tuple_cat(
                QuestionImagesConfig::settings(
                    {"Folder with the folders questions1.2 and images", kObtain, kSplits}),
                std::tuple{
                    ptp::setting("vocabulary", &Config::vocabulary,
                                 {.help = kVocabularyHelp, .choices = "training_0|training"})});
        }
        Config() {
            data_folder = "~/data/gqa";
            resize_image = {224, 224};
        }
    };

    GQA(const Config& config, const ptp::Setup& setup) : is_streaming_(config.stream_images) {
        const auto asked = asked_questions(config);
        const int64_t split = asked ? 0 : split_index(config.split, kSplits, setup.section());
        if (asked) {
            ask(*asked);
        } else {
            read_split(config, split);
        }
        if (config.stream_images) {
            images_.open(config, {.path = config.data_folder / "images",
                                  .stored = std::nullopt,
                                  .remedy = "the images of the questions must be in images"});
            publish_size(setup, images_.shown(), 3);
        }
        if (config.vocabulary && !asked) {
            const int64_t chosen = split_index(config.vocabulary, kSplits, setup.section());
            if (chosen == split) {
                publish_vocabularies(setup);
            } else if (!publish_saved_words(kVocabularies, paths_of(config, chosen), setup)) {
                GQA other;
                other.read_split(config, chosen);
                other.publish_vocabularies(setup);
            }
        }
    }

    int64_t size() const { return static_cast<int64_t>(questions_.size()); }

    std::tuple<std::vector<std::string_view>, std::vector<std::string_view>, at::Tensor,
               std::vector<std::string_view>, std::vector<std::string_view>,
               std::vector<std::string_view>>
    fetch(const ptp::Fetch& fetch) const {
        std::vector<std::string_view> image_ids;
        for (const int64_t index : fetch.indices()) {
            const std::string_view file = images_.name_of(index);
            const bool has_ending = file.ends_with(kEnding);
            image_ids.push_back(file.substr(0, file.size() - (has_ending ? kEnding.size() : 0)));
        }
        return {keys_.at(fetch.indices()),
                std::move(image_ids),
                is_streaming_ ? images_.images(fetch) : at::Tensor(),
                questions_.at(fetch.indices()),
                answers_.at(fetch.indices()),
                full_answers_.at(fetch.indices())};
    }

private:
    static constexpr std::string_view kEnding = ".jpg";
    static constexpr std::string_view kNoAnswer = "<UNK>";

    GQA() = default;

    static std::vector<std::string> files_of(int64_t split) {
        constexpr std::array<const char*, 5> kFiles{
            "train_all_questions/train_all_questions_0.json", "", "val_all_questions.json",
            "testdev_all_questions.json", "test_all_questions.json"};
        if (split != 1) {
            return {kFiles[static_cast<size_t>(split)]};
        }
        std::vector<std::string> files;
        for (char part = '0'; part <= '9'; ++part) {
            files.push_back(std::string("train_all_questions/train_all_questions_") + part +
                            ".json");
        }
        return files;
    }

    static std::vector<std::filesystem::path> paths_of(const Config& config, int64_t split) {
        std::vector<std::filesystem::path> paths;
        for (const std::string& file : files_of(split)) {
            paths.push_back(config.data_folder / "questions1.2" / file);
        }
        return paths;
    }

    void read_split(const Config& config, int64_t split) {
        for (const std::filesystem::path& file : paths_of(config, split)) {
            read_questions(file);
        }
    }

    // Publishes the vocabularies of its own questions; questions without an answer have none.
    void publish_vocabularies(const ptp::Setup& setup) const {
        ptp::support::WordTable question_words;
        ptp::support::WordTable answer_words;
        ptp::support::WordTable answers;
        ptp::support::WordTable full_answer_words;
        for (size_t i = 0; i < questions_.size(); ++i) {
            question_words.add_text(questions_[i]);
            if (answers_[i] != kNoAnswer) {
                answer_words.add_text(answers_[i]);
                answers.add(answers_[i]);
            }
            if (full_answers_[i] != kNoAnswer) {
                full_answer_words.add_text(full_answers_[i]);
            }
        }
        publish_words(kQuestionWordsGlobal, question_words, setup);
        publish_words(kAnswerWordsGlobal, answer_words, setup);
        publish_words(kAnswersGlobal, answers, setup);
        publish_words(kFullAnswerWordsGlobal, full_answer_words, setup);
    }

    void read_questions(const std::filesystem::path& file) {
        constexpr std::array<std::string_view, 4> kMembers{"imageId", "question", "answer",
                                                           "fullAnswer"};
        ptp::support::Problems problems;
        const size_t before = questions_.size();
        read_json_records({file, "", kMembers, kObtain}, [&](JsonRecord& record) {
            const std::string problem = add(record);
            if (!problem.empty()) {
                problems.add(ptp::detail::join(file, ": question '", record.key, "': ", problem));
            }
        });
        problems.throw_if_any();
        if (questions_.size() == before) {
            throw ptp::DataError(file, ": has no questions");
        }
    }

    void ask(const std::vector<AskedQuestion>& asked) {
        for (size_t i = 0; i < asked.size(); ++i) {
            images_.add(asked[i].image.string());
            keys_.add(std::to_string(i));
            questions_.add(asked[i].question);
            answers_.add(kNoAnswer);
            full_answers_.add(kNoAnswer);
        }
    }

    // Returns "" if the question is valid.
    std::string add(const JsonRecord& record) {
        const auto& image = record.values[0];
        const auto& question = record.values[1];
        if (!image || !question) {
            return image ? "has no text 'question'" : "has no text 'imageId'";
        }
        if (std::string problem = image_name_problem(*image); !problem.empty()) {
            return problem;
        }
        images_.add(*image + std::string(kEnding));
        keys_.add(record.key);
        questions_.add(*question);
        answers_.add(record.values[2].value_or(std::string(kNoAnswer)));
        full_answers_.add(record.values[3].value_or(std::string(kNoAnswer)));
        return "";
    }

    bool is_streaming_ = false;
    QuestionImages images_;
    ptp::support::Texts keys_;
    ptp::support::Texts questions_;
    ptp::support::Texts answers_;
    ptp::support::Texts full_answers_;
};

template const ptp_component_info& ptp::component<GQA>();
