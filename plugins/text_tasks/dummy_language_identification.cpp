// DummyLanguageIdentification: six sentences in English and Spanish, to try out a pipeline.

#include "labelled_texts.hpp"
#include "training_words.hpp"

#include <ptp/component.hpp>

class DummyLanguageIdentification {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "DummyLanguageIdentification";
    static constexpr const char* summary =
        "Six sentences in English or Spanish, to try a pipeline with";
    static constexpr const char* description =
        "Four sentences to train with and two to test with, half of them in each language. They "
        "are built in: there are no files. With vocabulary word_mappings has the words of the "
        "training sentences.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_STRING, "B", "Sentences"),
        ptp::output("targets", PTP_INTEGER, "B", "0 for English, 1 for Spanish")
            .purpose(PTP_PURPOSE_TARGETS),
        ptp::output("labels", PTP_STRING, "B", "ENGLISH or SPANISH")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of languages")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("2"),
        ptp::publishes("label_word_mappings", "Table from a language's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES),
        kTrainingWords};
    static constexpr bool is_concurrent = true;
    static constexpr const char* sample_count = "if($use_train_data, 4, 2)";

    struct Config {
        bool use_train_data = true;
        bool vocabulary = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting(
                    "use_train_data", &Config::use_train_data,
                    {.help = "The four training sentences; false: the two test sentences"}),
                ptp::setting("vocabulary", &Config::vocabulary, kVocabularyText)};
        }
    };

    DummyLanguageIdentification(const Config& config, const ptp::Setup& setup)
        : samples_(sentences(config.use_train_data)) {
        samples_.publish_classes(setup);
        if (config.vocabulary) {
            const LabelledTexts training = sentences(true);
            ptp::support::WordTable words;
            for (size_t i = 0; i < training.texts.size(); ++i) {
                words.add_text(training.texts[i]);
            }
            publish_words(words, setup);
        }
    }

    int64_t size() const { return static_cast<int64_t>(samples_.texts.size()); }
    std::vector<int64_t> sample_classes() const { return samples_.targets; }

    std::tuple<std::vector<std::string_view>, ptp::TensorData, std::vector<std::string_view>> fetch(
        const ptp::Fetch& fetch) const {
        return {samples_.texts.at(fetch.indices()), samples_.targets_of(fetch),
                samples_.labels_of(fetch)};
    }

private:
    // Returns PyTorchPipe's sentences, which are from a tutorial of PyTorch.
    static LabelledTexts sentences(bool is_training) {
        LabelledTexts samples{.texts = {}, .targets = {}, .classes = {"ENGLISH", "SPANISH"}};
        const auto add = [&](int64_t target, std::string_view text) {
            samples.texts.add(text);
            samples.targets.push_back(target);
        };
        if (is_training) {
            add(1, "me gusta comer en la cafeteria");
            add(0, "Give it to me");
            add(1, "No creo que sea una buena idea");
            add(0, "No it is not a good idea to get lost at sea");
        } else {
            add(1, "Yo creo que si");
            add(0, "it is lost on me");
        }
        return samples;
    }

    LabelledTexts samples_;
};

template const ptp_component_info& ptp::component<DummyLanguageIdentification>();
