// WordDecoder: the word with the highest score.

#include "vocabulary.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class WordDecoder : public ptp::support::WithVocabulary {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "WordDecoder";
    static constexpr const char* summary = "Turns scores into the word with the highest one";
    static constexpr const char* description =
        "The word of a sample is that of the highest of its scores, the first of equal ones; "
        "\"<UNK>\" if one of them is nan. No gradient flows back. The vocabulary is that of the "
        "global which word_mappings names, or of word_mappings_file, or of "
        "source_vocabulary_files; it has a word for each score.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_FLOAT, "B, vocabulary_size", "A score for each word"),
        ptp::output("outputs", PTP_STRING, "B", "The word with the highest score")};
    static constexpr auto globals = ptp::support::kVocabularyGlobals;
    static constexpr std::array requirements{ptp::support::kVocabularyRequirement};

    using Config = ptp::support::VocabularyConfig;

    WordDecoder(const Config& config, ptp::Setup& setup)
        : WithVocabulary(make_vocabulary(config, setup, setup.optional_size("vocabulary_size"))) {}

    std::vector<std::string> forward(const at::Tensor& inputs) {
        vocabulary().require_scores(inputs.size(1));
        const at::Tensor best =
            inputs.argmax(1).masked_fill(inputs.isnan().any(1), kNoWord).cpu();  // [B, V] -> [B]
        std::vector<std::string> words;
        for (int64_t i = 0; i < best.size(0); ++i) {
            const std::string* word = vocabulary().word_of(best.data_ptr<int64_t>()[i]);
            words.push_back(word == nullptr ? "<UNK>" : *word);
        }
        return words;
    }

private:
    static constexpr int64_t kNoWord = -1;
};

template const ptp_component_info& ptp::component<WordDecoder>();
