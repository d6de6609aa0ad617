// SentenceIndexer: words to a tensor of indices, and the way back.

#include "unknown_words.hpp"
#include "vocabulary.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <algorithm>

class SentenceIndexer : public ptp::support::WithVocabulary {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "SentenceIndexer";
    static constexpr const char* summary =
        "Turns words into their indices in a vocabulary, or indices into words";
    static constexpr const char* description =
        "Sentences are filled up with the index of \"<PAD>\" to the longest of the batch, or to "
        "fixed_padding. With eos_token each ends with the index of \"<EOS>\", before the padding. "
        "A sentence that is too long for fixed_padding loses its last words, which is logged once; "
        "its \"<EOS>\" stays. lengths has how many indices of a sentence are not padding, masks is "
        "true for those.\n"
        "With reverse = true indices become words, or, with use_input_distributions, the words "
        "with the highest scores, the first of equal ones, \"<UNK>\" if a score is nan.\n"
        "The vocabulary is that of the global which word_mappings names, or of word_mappings_file, "
        "or of source_vocabulary_files.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_TOKENS, "B", "The words of each sentence").when("!reverse"),
        ptp::input("inputs", PTP_INTEGER, "B, length", "Indices of words")
            .when("reverse & !use_input_distributions"),
        ptp::input("inputs", PTP_FLOAT, "B, length, vocabulary_size", "A score for each word")
            .when("reverse & use_input_distributions"),
        ptp::output("outputs", PTP_INTEGER, "B, $fixed_padding|length", "Indices of the words")
            .when("!reverse"),
        ptp::output("lengths", PTP_INTEGER, "B", "How many indices of each sentence count")
            .when("!reverse & output_lengths"),
        ptp::output("masks", PTP_BOOL, "B, $fixed_padding|length", "False for padding")
            .when("!reverse & output_masks"),
        ptp::output("outputs", PTP_TOKENS, "B", "The words of each sentence").when("reverse")};
    static constexpr std::array globals{
        ptp::support::kVocabularyGlobals[0], ptp::support::kVocabularyGlobals[1],
        ptp::support::kVocabularyGlobals[2],
        ptp::publishes_if_named("pad_index", "Index of \"<PAD>\"").when("!reverse")};

    struct Config : ptp::support::VocabularyConfig {
        bool reverse = false;
        bool use_input_distributions = false;
        bool stop_at_end = false;
        std::optional<int64_t> fixed_padding;
        bool eos_token = false;
        std::string unknown = language::kUnknownIsError;
        bool output_lengths = false;
        bool output_masks = false;

        Config() { additional_tokens = {kPad, kEnd}; }

        static constexpr auto settings() {
            return std::tuple_cat(
                VocabularyConfig::settings(),
                std::tuple{
                    ptp::setting("reverse", &Config::reverse, {.help = "Turn indices into words"}),
                    ptp::setting("use_input_distributions", &Config::use_input_distributions,
                                 {.help = "With reverse: whether the inputs are scores of words, "
                                          "not indices"}),
                    ptp::setting("stop_at_end", &Config::stop_at_end,
                                 {.help = "With reverse: leave out the first \"<EOS>\" or "
                                          "\"<PAD>\" and all after it"}),
                    ptp::setting("fixed_padding", &Config::fixed_padding,
                                 {.help = "Indices of each sentence; if not given, those of the "
                                          "longest",
                                  .range = "[1, inf)"}),
                    ptp::setting("eos_token", &Config::eos_token,
                                 {.help = "End each sentence with the index of \"<EOS>\""}),
                    ptp::setting("unknown", &Config::unknown, language::kUnknownText),
                    ptp::setting("output_lengths", &Config::output_lengths,
                                 {.help = "Also write the stream lengths"}),
                    ptp::setting("output_masks", &Config::output_masks,
                                 {.help = "Also write the stream masks"})});
        }
    };

    SentenceIndexer(const Config& config, ptp::Setup& setup)
        : WithVocabulary(make_vocabulary(config, setup)),
          setup_(setup),
          config_(config),
          unknown_(config.unknown, vocabulary()),
          pad_(vocabulary().index_of(kPad)),
          end_(vocabulary().index_of(kEnd)),
          device_(setup.device()) {
        if (config.reverse) {
            check_reverse();
        } else {
            check_forward();
            setup.publish("pad_index", *pad_);
        }
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor, std::vector<std::vector<std::string>>> forward(
        const ptp::TokenLists* sentences, const at::Tensor* indices, const at::Tensor* scores,
        const ptp::Samples& samples) {
        if (sentences != nullptr) {
            return indexed(*sentences, samples);
        }
        return {at::Tensor(), at::Tensor(), at::Tensor(),
                words(scores == nullptr ? *indices : best(*scores), samples)};
    }

private:
    static constexpr const char* kPad = "<PAD>";
    static constexpr const char* kEnd = "<EOS>";
    static constexpr int64_t kNotANumber = -1;  // the index where a score is nan

    void check_forward() const {
        const auto require = [](bool is_there, const char* token, const char* setting) {
            if (!is_there) {
                throw ptp::SettingError(setting, "'", token,
                                        "' is not in the vocabulary; add it to additional_tokens");
            }
        };
        require(pad_.has_value(), kPad, "additional_tokens");
        require(end_.has_value() || !config_.eos_token, kEnd, "eos_token");
        refuse_if(config_.use_input_distributions, "use_input_distributions",
                  "needs reverse = true");
        refuse_if(config_.stop_at_end, "stop_at_end", "needs reverse = true");
    }

    void check_reverse() const {
        constexpr const char* kReason = "has no effect with reverse = true";
        refuse_if(config_.fixed_padding.has_value(), "fixed_padding", kReason);
        refuse_if(config_.eos_token, "eos_token", kReason);
        refuse_if(config_.output_lengths, "output_lengths", kReason);
        refuse_if(config_.output_masks, "output_masks", kReason);
        if (config_.use_input_distributions) {
            if (const auto size = setup_.optional_size("vocabulary_size")) {
                require_size(*size);
            }
        }
    }

    static void refuse_if(bool is_given, const char* setting, const char* reason) {
        if (is_given) {
            throw ptp::SettingError(setting, reason);
        }
    }

    void require_size(int64_t scores) const {
        if (scores != vocabulary().size()) {
            throw ptp::ConfigError("inputs has ", scores,
                                   " scores for each word, the vocabulary has the size ",
                                   vocabulary().size());
        }
    }

    // How many indices a sentence with this number of words has.
    int64_t length_of(size_t words) const {
        return static_cast<int64_t>(words) + (config_.eos_token ? 1 : 0);
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor, std::vector<std::vector<std::string>>> indexed(
        const ptp::TokenLists& sentences, const ptp::Samples& samples) {
        const auto count = static_cast<int64_t>(sentences.size());
        int64_t longest = 0;
        for (size_t i = 0; i < sentences.size(); ++i) {
            longest = std::max(longest, length_of(sentences[i].size()));
        }
        const int64_t width = config_.fixed_padding.value_or(longest);
        at::Tensor indices = at::full({count, width}, *pad_, at::kLong);
        at::Tensor lengths = at::empty({count}, at::kLong);
        for (size_t i = 0; i < sentences.size(); ++i) {
            const int64_t length = length_of(sentences[i].size());
            if (length > width) {
                log_cut(samples.indices()[i], length, width);
            }
            const int64_t kept = std::min(length, width);
            lengths.data_ptr<int64_t>()[i] = kept;
            write({indices.data_ptr<int64_t>() + static_cast<int64_t>(i) * width,
                   static_cast<size_t>(kept)},
                  sentences[i], samples.indices()[i]);
        }
        at::Tensor masks;
        if (config_.output_masks) {
            masks = at::arange(width).unsqueeze(0).lt(lengths.unsqueeze(1));  // -> [B, length]
        }
        return {indices.to(device_),
                lengths.to(device_),
                masks.defined() ? masks.to(device_) : masks,
                {}};
    }

    void write(std::span<int64_t> row, const ptp::TokenLists::Tokens& words, int64_t sample) const {
        const size_t count = row.size() - (config_.eos_token ? 1 : 0);
        for (size_t i = 0; i < count; ++i) {
            const auto index = vocabulary().index_of(words[i]);
            row[i] = index ? *index : unknown_.index_for(words[i], sample, vocabulary());
        }
        if (config_.eos_token) {
            row.back() = *end_;
        }
    }

    void log_cut(int64_t sample, int64_t length, int64_t width) {
        if (!has_logged_cut_) {
            has_logged_cut_ = true;
            setup_.log_warning(ptp::detail::join(
                "sample ", sample, " has ", length, " indices, fixed_padding = ", width,
                ": the last words of longer sentences are cut off"));
        }
    }

    // [B, length, V] -> [B, length]
    at::Tensor best(const at::Tensor& scores) const {
        require_size(scores.size(2));
        return scores.argmax(2).masked_fill(scores.isnan().any(2), kNotANumber);
    }

    std::vector<std::vector<std::string>> words(const at::Tensor& indices,
                                                const ptp::Samples& samples) const {
        const at::Tensor rows = indices.to(at::kLong).cpu().contiguous();
        std::vector<std::vector<std::string>> sentences(static_cast<size_t>(rows.size(0)));
        for (size_t i = 0; i < sentences.size(); ++i) {
            const int64_t* row = rows.data_ptr<int64_t>() + static_cast<int64_t>(i) * rows.size(1);
            for (int64_t place = 0; place < rows.size(1); ++place) {
                const int64_t index = row[place];
                if (config_.stop_at_end && (index == pad_ || index == end_)) {
                    break;
                }
                sentences[i].push_back(word(index, {samples.indices()[i], place}));
            }
        }
        return sentences;
    }

    struct Where {
        int64_t sample;
        int64_t place;
    };

    std::string word(int64_t index, Where where) const {
        const std::string* found = vocabulary().word_of(index);
        if (found != nullptr) {
            return *found;
        }
        if (config_.use_input_distributions && index == kNotANumber) {
            return "<UNK>";
        }
        throw ptp::DataError("sample ", where.sample, ": the index ", index, " at place ",
                             where.place, " has no word in the vocabulary (size ",
                             vocabulary().size(), ")");
    }

    const ptp::Setup& setup_;
    Config config_;
    language::UnknownWords unknown_;
    std::optional<int64_t> pad_;
    std::optional<int64_t> end_;
    at::Device device_;
    bool has_logged_cut_ = false;  // a newer build logs it once more
};

template const ptp_component_info& ptp::component<SentenceIndexer>();
