// WiLYNGramLanguageModeling: a few words of Wikipedia in 235 languages, and the next word.

#include "corpus.hpp"
#include "training_words.hpp"
#include "unlabeled_texts.hpp"
#include "wili_files.hpp"

#include <ptp/component.hpp>
#include <words.hpp>

#include <algorithm>

class WiLYNGramLanguageModeling {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "WiLYNGramLanguageModeling";
    static constexpr const char* sample_count =
        "if($use_train_data, *, *)";  // known once they are read
    static constexpr const char* summary =
        "Words in a row of WiLI-2018, to predict the word after them";
    static constexpr const char* description =
        "The paragraphs of WiLI-2018, `x_train.txt` or `x_test.txt`, one in each line, UTF-8. Each "
        "`context` words in a row, which are what is between white space, are a sample, with the "
        "word after them as its target. A sample does not reach from one paragraph into the next; "
        "paragraphs of `context` words or less have none.\n"
        "The file is read whole when a training begins; nothing is written. With vocabulary "
        "word_mappings has the words of x_train.txt. `texts` and `samples` are other texts instead, of "
        "`context` words or more: each is a sample with its last words, to be continued.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_STRING, "B", "`context` words, with blanks between them"),
        ptp::output("targets", PTP_STRING, "B", "The word after them")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!texts & !samples")};
    static constexpr std::array globals{kTrainingWordsUnlessGiven};
    static constexpr bool is_concurrent = true;

    struct Config : UnlabeledTextsConfig {
        std::filesystem::path data_folder = kWiliFolder;
        bool use_train_data = true;
        int64_t context = 2;
        bool vocabulary = false;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("data_folder", &Config::data_folder,
                                        {.help = "Folder with the files of WiLI-2018",
                                         .obtain = kWiliObtain,
                                         .purpose = PTP_PURPOSE_DATA_FOLDER}),
                           ptp::setting("use_train_data", &Config::use_train_data,
                                        {.help = "x_train.txt; false: x_test.txt"}),
                           ptp::setting("context", &Config::context,
                                        {.help = "Words that the next one is predicted from",
                                         .range = "[1, inf)",
                                         .is_preparation = true}),
                           ptp::setting("vocabulary", &Config::vocabulary, kVocabularyText)},
                UnlabeledTextsConfig::settings());
        }
    };

    WiLYNGramLanguageModeling(const Config& config, const ptp::Setup& setup)
        : context_(static_cast<size_t>(config.context)) {
        if (config.is_unlabeled()) {
            read_texts(config.read());
            return;
        }
        const std::filesystem::path file =
            wili_file(config.data_folder, "x", config.use_train_data ? "train" : "test");
        const ptp::support::Texts lines = read_text_lines(file, kWiliObtain);
        for (size_t i = 0; i < lines.size(); ++i) {
            add_line(lines[i]);
        }
        if (count_ == 0) {
            throw ptp::DataError(file, ": no line has more than ", context_,
                                 context_ == 1 ? " word" : " words",
                                 ": there are no samples of `context` words and the next one");
        }
        if (config.vocabulary) {
            publish_wili_words(config.data_folder, setup);
        }
    }

    int64_t size() const { return static_cast<int64_t>(count_); }

    std::tuple<std::string, std::string> sample(int64_t index, ptp::Random&) const {
        const auto wanted = static_cast<size_t>(index);
        const auto line = std::prev(std::ranges::upper_bound(lines_, wanted, {}, &Line::sample));
        const size_t begin = line->word + wanted - line->sample;
        std::string inputs;
        for (size_t i = 0; i < context_; ++i) {
            inputs += (i == 0 ? "" : " ") + corpus_[begin + i];
        }
        return {std::move(inputs), is_unlabeled_ ? "" : corpus_[begin + context_]};
    }

private:
    // The first sample and the first word of a line that has samples.
    struct Line {
        size_t sample = 0;
        size_t word = 0;
    };

    // Makes the last words of each text a sample.
    void read_texts(const ptp::support::Texts& texts) {
        is_unlabeled_ = true;
        for (size_t i = 0; i < texts.size(); ++i) {
            const size_t first_word = corpus_.size();
            ptp::support::for_each_word(texts[i],
                                        [&](std::string_view word) { corpus_.add(word); });
            const size_t words = corpus_.size() - first_word;
            if (words < context_) {
                throw ptp::DataError("text ", i + 1, " has ", words,
                                     words == 1 ? " word" : " words", ", fewer than the ", context_,
                                     " that the next one is predicted from");
            }
            lines_.push_back({count_++, corpus_.size() - context_});
        }
    }

    void add_line(std::string_view text) {
        const size_t first_word = corpus_.size();
        ptp::support::for_each_word(text, [&](std::string_view word) { corpus_.add(word); });
        const size_t words = corpus_.size() - first_word;
        if (words > context_) {
            lines_.push_back({count_, first_word});
            count_ += words - context_;
        }
    }

    size_t context_;
    Corpus corpus_;
    std::vector<Line> lines_;
    size_t count_ = 0;
    bool is_unlabeled_ = false;
};

template const ptp_component_info& ptp::component<WiLYNGramLanguageModeling>();
