// SentenceOneHotEncoder: a row with a single 1 for each word of a sentence.

#include "unknown_words.hpp"
#include "vocabulary.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class SentenceOneHotEncoder : public ptp::support::WithVocabulary {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "SentenceOneHotEncoder";
    static constexpr const char* summary = "Turns each word into a row of zeros with a single 1";
    static constexpr const char* description =
        "A sentence of 3 words becomes a tensor [3, vocabulary_size]. ListToTensor makes one tensor "
        "of them, BOWEncoder their sums; where only the sums are needed, BOWEncoder takes the words "
        "themselves, with much less work. The vocabulary is that of the global which word_mappings "
        "names, or of word_mappings_file, or of source_vocabulary_files.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_TOKENS, "B", "The words of each sentence"),
        ptp::output("outputs", PTP_TENSOR_LIST, "B, *, vocabulary_size",
                    "A row for each word of a sentence")};
    static constexpr auto globals = ptp::support::kVocabularyGlobals;
    static constexpr std::array requirements{ptp::support::kVocabularyRequirement};

    struct Config : ptp::support::VocabularyConfig {
        std::string unknown = ptp::support::kUnknownIsError;

        static constexpr auto settings() {
            return std::tuple_cat(
                VocabularyConfig::settings(),
                std::tuple{ptp::setting("unknown", &Config::unknown, ptp::support::kUnknownText)});
        }
    };

    SentenceOneHotEncoder(const Config& config, ptp::Setup& setup)
        : WithVocabulary(make_vocabulary(config, setup)),
          unknown_(config.unknown, vocabulary(), setup) {}

    std::vector<at::Tensor> forward(const ptp::TokenLists& inputs, const ptp::Samples& samples) {
        std::vector<at::Tensor> sentences;
        for (size_t i = 0; i < inputs.size(); ++i) {
            sentences.push_back(rows(inputs[i], samples.indices()[i]));
        }
        return sentences;
    }

private:
    at::Tensor rows(const ptp::TokenLists::Tokens& words, int64_t sample) const {
        const auto count = static_cast<int64_t>(words.size());
        at::Tensor indices = at::empty({count, 1}, at::kLong);
        for (size_t i = 0; i < words.size(); ++i) {
            indices.data_ptr<int64_t>()[i] = unknown_.index_of(words[i], sample);
        }
        return at::zeros({count, vocabulary().size()}, at::kFloat).scatter_(1, indices, 1);
    }

    ptp::support::UnknownWords unknown_;
};

template const ptp_component_info& ptp::component<SentenceOneHotEncoder>();
