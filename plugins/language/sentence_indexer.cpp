// SentenceIndexer: words to a tensor of indices, and back.

#include "sentence_indices.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

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
        "its \"<EOS>\" stays. A sentence without words has the length 1. lengths has how many indices of a sentence are not padding, masks is "
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
        ptp::support::kVocabularyGlobals[2], ptp::support::kPadIndexGlobal.when("!reverse"),
        ptp::publishes_if_named("end_index", "Index of \"<EOS>\"").when("eos_token & !reverse")};
    static constexpr std::array requirements{ptp::support::kVocabularyRequirement};

    struct Config : ptp::support::VocabularyConfig, ptp::support::IndexingConfig {
        bool reverse = false;
        bool use_input_distributions = false;
        bool stop_at_end = false;

        Config() { additional_tokens = {ptp::support::kPad, ptp::support::kEndOfSentence}; }

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
                                          "\"<PAD>\" and all after it"})},
                IndexingConfig::settings());
        }
    };

    SentenceIndexer(const Config& config, ptp::Setup& setup)
        : WithVocabulary(make_vocabulary(config, setup, scores_of(config, setup))),
          setup_(setup),
          config_(config) {
        if (config.reverse) {
            check_reverse();
        } else {
            indices_.emplace(config, vocabulary(), setup);
            if (config.eos_token) {
                setup.publish("end_index", *vocabulary().index_of(ptp::support::kEndOfSentence));
            }
            refuse_if(config.use_input_distributions, "use_input_distributions",
                      "needs reverse = true");
            refuse_if(config.stop_at_end, "stop_at_end", "needs reverse = true");
        }
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor, std::vector<std::vector<std::string>>> forward(
        const ptp::TokenLists* sentences, const at::Tensor* indices, const at::Tensor* scores,
        const ptp::Samples& samples) {
        if (sentences != nullptr) {
            const auto rows = indices_->rows_of(*sentences, samples.indices());
            return {rows.indices, rows.lengths, rows.masks, {}};
        }
        return {at::Tensor(), at::Tensor(), at::Tensor(),
                words(scores == nullptr ? *indices : best(*scores), samples)};
    }

private:
    static constexpr int64_t kNotANumber = -1;  // the index if a score is nan

    static std::optional<int64_t> scores_of(const Config& config, const ptp::Setup& setup) {
        return config.reverse && config.use_input_distributions
                   ? setup.optional_size("vocabulary_size")
                   : std::nullopt;
    }

    void check_reverse() const {
        constexpr const char* kReason = "has no effect with reverse = true";
        const ptp::support::UnknownWords checked(config_.unknown, vocabulary(), setup_);
        refuse_if(config_.fixed_padding.has_value(), "fixed_padding", kReason);
        refuse_if(config_.eos_token, "eos_token", kReason);
        refuse_if(config_.output_lengths, "output_lengths", kReason);
        refuse_if(config_.output_masks, "output_masks", kReason);
    }

    static void refuse_if(bool is_given, const char* setting, const char* reason) {
        if (is_given) {
            throw ptp::SettingError(setting, reason);
        }
    }

    // [B, length, V] -> [B, length]
    at::Tensor best(const at::Tensor& scores) const {
        vocabulary().require_scores(scores.size(2));
        return scores.argmax(2).masked_fill(scores.isnan().any(2), kNotANumber);
    }

    std::vector<std::vector<std::string>> words(const at::Tensor& indices,
                                                const ptp::Samples& samples) const {
        const at::Tensor rows = indices.to(at::kLong).cpu().contiguous();
        const auto pad = vocabulary().index_of(ptp::support::kPad);
        const auto end = vocabulary().index_of(ptp::support::kEndOfSentence);
        std::vector<std::vector<std::string>> sentences(static_cast<size_t>(rows.size(0)));
        for (size_t i = 0; i < sentences.size(); ++i) {
            const int64_t* row = rows.data_ptr<int64_t>() + static_cast<int64_t>(i) * rows.size(1);
            for (int64_t place = 0; place < rows.size(1); ++place) {
                const int64_t index = row[place];
                if (config_.stop_at_end && (index == pad || index == end)) {
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
    std::optional<ptp::support::SentenceIndices> indices_;  // unless it is reversed
};

template const ptp_component_info& ptp::component<SentenceIndexer>();
