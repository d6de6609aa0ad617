// WiLYLanguageIdentification: paragraphs of Wikipedia in 235 languages, WiLI-2018.
//
// Thoma: The WiLI benchmark dataset for written language identification, 2018, arXiv 1801.07779.

#include "labelled_texts.hpp"
#include "training_words.hpp"
#include "unlabeled_texts.hpp"
#include "wili_files.hpp"

#include <ptp/component.hpp>

class WiLYLanguageIdentification {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "WiLYLanguageIdentification";
    static constexpr const char* sample_count =
        "if($use_train_data, *, *)";  // known once they are read
    static constexpr const char* summary = "Paragraphs of Wikipedia in 235 languages, WiLI-2018";
    static constexpr const char* description =
        "The files of WiLI-2018, UTF-8: `x_train.txt` and `x_test.txt` with a paragraph in each "
        "line, `y_train.txt` and `y_test.txt` with the code of its language in the same line, 500 "
        "of each language in both parts. Languages are numbered in the order of their codes, "
        "compared byte by byte; all that are in one of the two files y count, so that both parts "
        "have the same numbers.\n"
        "`texts` and `samples` are paragraphs without languages instead. There are no targets and labels then, "
        "and num_classes is the training's.\n"
        "The files are read whole when a training begins. With vocabulary word_mappings has the "
        "words of x_train.txt.\n"
        "Thoma 2018, arXiv 1801.07779.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_STRING, "B", "Paragraphs"),
        ptp::output("targets", PTP_INTEGER, "B", "Numbers of the languages, from 0")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!texts & !samples"),
        ptp::output("labels", PTP_STRING, "B", "Codes of the languages").when("!texts & !samples")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of languages")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .when("!texts & !samples"),
        ptp::publishes("label_word_mappings", "Table from a language's code to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)
            .when("!texts & !samples"),
        kTrainingWordsUnlessGiven};
    static constexpr bool is_concurrent = true;

    struct Config : UnlabeledTextsConfig {
        std::filesystem::path data_folder = kWiliFolder;
        bool use_train_data = true;
        bool vocabulary = false;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("data_folder", &Config::data_folder,
                                 {.help = "Folder with the four files",
                                  .obtain = kWiliObtain,
                                  .purpose = PTP_PURPOSE_DATA_FOLDER}),
                    ptp::setting("use_train_data", &Config::use_train_data,
                                 {.help = "The 117500 training paragraphs; false: the 117500 test "
                                          "paragraphs"}),
                    ptp::setting("vocabulary", &Config::vocabulary, kVocabularyText)},
                UnlabeledTextsConfig::settings());
        }
    };

    WiLYLanguageIdentification(const Config& config, const ptp::Setup& setup)
        : samples_(read(config)) {
        if (!config.is_unlabeled()) {
            samples_.publish_classes(setup);
        }
        if (config.vocabulary && !config.is_unlabeled()) {
            publish_wili_words(config.data_folder, setup);
        }
    }

    int64_t size() const { return static_cast<int64_t>(samples_.texts.size()); }

    std::vector<int64_t> sample_classes() const {
        if (samples_.targets.empty()) {
            throw ptp::ConfigError("texts without classes have no classes to draw by");
        }
        return samples_.targets;
    }

    std::tuple<std::vector<std::string_view>, ptp::TensorData, std::vector<std::string_view>> fetch(
        const ptp::Fetch& fetch) const {
        return {samples_.texts.at(fetch.indices()), samples_.targets_of(fetch),
                samples_.labels_of(fetch)};
    }

private:
    static LabelledTexts read(const Config& config) {
        if (config.is_unlabeled()) {
            LabelledTexts samples;
            samples.texts = config.read();
            return samples;
        }
        const char* part = config.use_train_data ? "train" : "test";
        const char* other = config.use_train_data ? "test" : "train";
        WiliPart samples = read_wili(config.data_folder, part);
        std::vector<std::string> languages =
            read_languages(wili_file(config.data_folder, "y", other));
        languages.insert(languages.end(), samples.languages.begin(), samples.languages.end());
        return number_labels(std::move(samples.texts), samples.languages, languages);
    }

    LabelledTexts samples_;
};

template const ptp_component_info& ptp::component<WiLYLanguageIdentification>();
