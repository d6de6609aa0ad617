// WikiTextLanguageModeling: articles of Wikipedia, word by word.
//
// Merity, Xiong, Bradbury, Socher: Pointer sentinel mixture models, 2016, arXiv 1609.07843.

#include "corpus.hpp"
#include "subset.hpp"
#include "training_words.hpp"
#include "unlabeled_texts.hpp"

#include <ptp/component.hpp>
#include <text_file.hpp>
#include <words.hpp>

class WikiTextLanguageModeling {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "WikiTextLanguageModeling";
    // The number is known once they are read.
    static constexpr const char* sample_count =
        "if($dataset or $subset or $sentence_length or $stride, *, *)";
    static constexpr const char* summary = "Articles of Wikipedia, to predict each next word";
    static constexpr const char* description =
        "The files wiki.train.tokens, wiki.valid.tokens and wiki.test.tokens in the folder "
        "`dataset` of data_folder, UTF-8. Words are what is between white space; <eos> follows "
        "each line, a blank one too, as in the literature: WikiText-2 has 2088628, 217646 and "
        "245569 words then.\n"
        "Sample i has the words from i stride to i stride + sentence_length - 1 as `sources`, and "
        "those one later as `targets`. Without `stride` it is sentence_length: windows meet and do "
        "not overlap, so that an epoch predicts each word once, as perplexities are reported. "
        "stride = 1 are PyTorchPipe's windows, one for each word: an epoch predicts each word "
        "sentence_length times. Words at the end that do not fill a window are left out.\n"
        "The chosen file is read whole when a training begins; nothing is written. With vocabulary "
        "word_mappings has the words of wiki.train.tokens, and <eos>. `texts` and `samples` are other "
        "texts instead, each a sample with all its words as `sources`, to be continued.\n"
        "Merity et al. 2016, arXiv 1609.07843.";

    static constexpr std::array ports{
        ptp::output("sources", PTP_TOKENS, "B", "sentence_length words, or those of a text"),
        ptp::output("targets", PTP_TOKENS, "B", "The word after each of them")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!texts & !samples")};
    static constexpr std::array globals{kTrainingWordsUnlessGiven};
    static constexpr bool is_concurrent = true;

    static constexpr const char* kObtain =
        "take wikitext-2-v1.zip or wikitext-103-v1.zip from https://wikitext.smerity.com/, unpack "
        "it, and set data_folder to the folder that wikitext-2 or wikitext-103 is in";

    struct Config : UnlabeledTextsConfig {
        std::filesystem::path data_folder = "~/data/language_modeling/wikitext";
        std::string dataset = "wikitext-2";
        std::optional<std::string> subset;
        int64_t sentence_length = 50;
        std::optional<int64_t> stride;
        bool vocabulary = false;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting("data_folder", &Config::data_folder,
                                 {.help = "Folder with the folder of the data set",
                                  .obtain = kObtain,
                                  .purpose = PTP_PURPOSE_DATA_FOLDER}),
                    ptp::setting(
                        "dataset", &Config::dataset,
                        {.help = "Which of the data sets", .choices = "wikitext-2|wikitext-103"}),
                    ptp::setting(
                        "subset", &Config::subset,
                        {.help = "Which file; if not given, the one for the section: train for "
                                 "training, valid for validation, test for test",
                         .choices = "train|valid|test",
                         .purpose = PTP_PURPOSE_SPLIT}),
                    ptp::setting("sentence_length", &Config::sentence_length,
                                 {.help = "Words of a sample", .range = "[1, inf)"}),
                    ptp::setting(
                        "stride", &Config::stride,
                        {.help = "Words from the begin of a sample to that of the next; if not "
                                 "given, sentence_length",
                         .range = "[1, inf)"}),
                    ptp::setting("vocabulary", &Config::vocabulary,
                                 {.help = "Publish word_mappings: the words of wiki.train.tokens, "
                                          "and <eos>, whatever subset is read, by first appearance",
                                  .purpose = PTP_PURPOSE_VOCABULARY})},
                UnlabeledTextsConfig::settings());
        }
    };

    WikiTextLanguageModeling(const Config& config, const ptp::Setup& setup)
        : length_(static_cast<size_t>(config.sentence_length)),
          stride_(static_cast<size_t>(config.stride.value_or(config.sentence_length))) {
        if (config.is_unlabeled()) {
            texts_ = config.read();
            return;
        }
        const std::filesystem::path file =
            file_of(config, subset_of(config.subset, setup.section()));
        for_each_token(file, [&](std::string_view word) { corpus_.add(word); });
        if (corpus_.size() <= length_) {
            throw ptp::DataError(file, ": has ", corpus_.size(), " words, a sample of ", length_,
                                 " and its targets need ", length_ + 1);
        }
        if (config.vocabulary) {
            const std::filesystem::path training = file_of(config, "train");
            if (std::error_code error; !std::filesystem::exists(training, error)) {
                throw ptp::DataError(training,
                                     ": no such file; vocabulary = true publishes its "
                                     "words, whatever subset is read; ",
                                     kObtain);
            }
            publish_words_of(training, setup, [&] {
                ptp::support::WordTable words;
                for_each_token(training, [&](std::string_view word) { words.add(word); });
                return words;
            });
        }
    }

    int64_t size() const {
        if (texts_) {
            return static_cast<int64_t>(texts_->size());
        }
        return static_cast<int64_t>((corpus_.size() - 1 - length_) / stride_ + 1);
    }

    std::tuple<std::vector<std::string>, std::vector<std::string>> sample(int64_t index,
                                                                          ptp::Random&) const {
        if (texts_) {
            std::vector<std::string> words;
            ptp::support::for_each_word((*texts_)[static_cast<size_t>(index)],
                                        [&](std::string_view word) { words.emplace_back(word); });
            return {std::move(words), {}};
        }
        const size_t begin = static_cast<size_t>(index) * stride_;
        return {corpus_.words(begin, length_), corpus_.words(begin + 1, length_)};
    }

private:
    static std::filesystem::path file_of(const Config& config, const std::string& subset) {
        return config.data_folder / config.dataset / ("wiki." + subset + ".tokens");
    }

    template <class Use>
    static void for_each_token(const std::filesystem::path& file, Use use) {
        ptp::support::for_each_line(ptp::support::read_text(file, kObtain),
                                    [&](std::string_view line, int64_t) {
                                        ptp::support::for_each_word(line, use);
                                        use("<eos>");
                                    });
    }

    size_t length_;
    size_t stride_;
    Corpus corpus_;
    std::optional<ptp::support::Texts> texts_;  // instead of the corpus
};

template const ptp_component_info& ptp::component<WikiTextLanguageModeling>();
