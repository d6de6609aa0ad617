// BOWEncoder: the bag of words of a sentence, the sum of the vectors of its words.

#include "tensor_checks.hpp"
#include "unknown_words.hpp"
#include "vocabulary.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

class BOWEncoder : public ptp::support::WithVocabulary {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "BOWEncoder";
    static constexpr const char* summary = "Adds up the vectors of a sentence's words";
    static constexpr const char* description =
        "With input_mode = \"vectors\" the inputs are tensors [words, bow_size], one for each "
        "sentence, and gradients flow back to them. With \"words\" and \"indices\" the outputs are "
        "how often each word is in the sentence, which takes work for its words alone: the same "
        "as of the vectors that SentenceOneHotEncoder makes. Indices equal to the global pad_index "
        "do not count. A sentence without words is all zeros. With \"words\" the vocabulary is that "
        "of the global which word_mappings names, or of word_mappings_file, or of "
        "source_vocabulary_files.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_TENSOR_LIST, "B, *, bow_size", "A vector for each word")
            .when("input_mode = vectors"),
        ptp::input("inputs", PTP_TOKENS, "B", "The words of each sentence")
            .when("input_mode = words"),
        ptp::input("inputs", PTP_INTEGER, "B, length", "The indices of the words")
            .when("input_mode = indices"),
        ptp::output("outputs", PTP_FLOAT, "B, bow_size", "Their sums")
            .when("input_mode = vectors|indices"),
        ptp::output("outputs", PTP_FLOAT, "B, vocabulary_size", "How often each word is there")
            .when("input_mode = words")};
    static constexpr std::array globals{
        ptp::reads("bow_size", "Length of a vector; the number of indices")
            .when("input_mode = vectors|indices"),
        ptp::reads_if_named("pad_index", "Index that does not count, such as padding")
            .when("input_mode = indices"),
        ptp::support::kVocabularyGlobals[0].when("input_mode = words"),
        ptp::support::kVocabularyGlobals[1].when("input_mode = words"),
        ptp::support::kVocabularyGlobals[2].when("input_mode = words")};
    static constexpr std::array requirements{
        ptp::support::kVocabularyRequirement.when("input_mode = words & !word_mappings")};

    enum class InputMode { kVectors, kWords, kIndices };
    struct Config : ptp::support::VocabularyConfig {
        InputMode input_mode = InputMode::kVectors;
        std::string unknown = ptp::support::kUnknownIsError;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("input_mode", &Config::input_mode,
                                        {.help = "What a word is in the inputs",
                                         .choices = "vectors|words|indices"}),
                           ptp::setting("unknown", &Config::unknown, ptp::support::kUnknownText)},
                VocabularyConfig::settings());
        }
    };

    BOWEncoder(const Config& config, ptp::Setup& setup)
        : WithVocabulary(vocabulary_of(config, setup)),
          mode_(config.input_mode),
          size_(mode_ == InputMode::kWords ? vocabulary().size()
                                           : setup.global<int64_t>("bow_size")),
          pad_index_(mode_ == InputMode::kIndices ? setup.optional_global<int64_t>("pad_index")
                                                  : std::nullopt) {
        if (mode_ == InputMode::kWords) {
            unknown_.emplace(config.unknown, vocabulary(), setup);
        }
    }

    std::tuple<at::Tensor, at::Tensor> forward(const ptp::TensorList* vectors,
                                               const ptp::TokenLists* words,
                                               const at::Tensor* indices,
                                               const ptp::Samples& samples) {
        if (words != nullptr) {
            return {at::Tensor(), counts(*words, samples)};
        }
        return {vectors != nullptr ? sums(*vectors, samples) : counts(*indices), at::Tensor()};
    }

private:
    static ptp::support::Vocabulary vocabulary_of(const Config& config, const ptp::Setup& setup) {
        if (config.input_mode == InputMode::kWords) {
            return make_vocabulary(config, setup);
        }
        const auto refuse_if = [](bool is_given, const char* setting) {
            if (is_given) {
                throw ptp::SettingError(setting, "is for input_mode = \"words\" alone");
            }
        };
        refuse_if(!config.source_vocabulary_files.empty(), "source_vocabulary_files");
        refuse_if(!config.word_mappings_file.empty(), "word_mappings_file");
        refuse_if(!config.additional_tokens.empty(), "additional_tokens");
        refuse_if(config.regenerate, "regenerate");
        refuse_if(config.unknown != ptp::support::kUnknownIsError, "unknown");
        return {};
    }

    at::Tensor sums(const ptp::TensorList& vectors, const ptp::Samples& samples) const {
        std::vector<at::Tensor> rows;
        for (size_t i = 0; i < vectors.size(); ++i) {
            if (vectors[i].dim() != 2 || vectors[i].size(1) != size_) {
                throw ptp::DataError("sample ", samples.indices()[i], ": inputs has the sizes ",
                                     vectors[i].sizes(), ", must have a row of ", size_,
                                     " for each word");
            }
            rows.push_back(vectors[i].sum(0));  // [words, W] -> [W]
        }
        return rows.empty() ? at::zeros({0, size_}) : at::stack(rows);
    }

    at::Tensor counts(const ptp::TokenLists& sentences, const ptp::Samples& samples) const {
        at::Tensor all = at::zeros({static_cast<int64_t>(sentences.size()), size_}, at::kFloat);
        for (size_t i = 0; i < sentences.size(); ++i) {
            float* row = all.data_ptr<float>() + static_cast<int64_t>(i) * size_;
            const auto words = sentences[i];
            for (size_t j = 0; j < words.size(); ++j) {
                row[unknown_->index_of(words[j], samples.indices()[i])] += 1;
            }
        }
        return all;
    }

    at::Tensor counts(const at::Tensor& indices) const {
        at::Tensor is_word = at::ones_like(indices, at::kBool);
        if (pad_index_) {
            is_word = ptp::support::widened(indices).ne(*pad_index_);
        }
        const at::Tensor is_wrong =
            is_word.logical_and(ptp::support::are_outside(indices, 0, size_));
        ptp::support::require_none(is_wrong, "inputs", indices,
                                   "be in [0, " + std::to_string(size_) + ")");
        const at::Tensor places = indices.to(at::kLong).masked_fill(is_word.logical_not(), 0);
        return at::zeros({indices.size(0), size_}, indices.options().dtype(at::kFloat))
            .scatter_add_(1, places, is_word.to(at::kFloat));  // [B, length] -> [B, W]
    }

    InputMode mode_;
    int64_t size_;
    std::optional<int64_t> pad_index_;
    std::optional<ptp::support::UnknownWords> unknown_;
};

template const ptp_component_info& ptp::component<BOWEncoder>();
