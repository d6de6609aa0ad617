// SentenceEmbeddings: words to learned vectors, which may be initialized from GloVe or fastText.
//
// Pennington, Socher, Manning: GloVe: Global vectors for word representation, EMNLP 2014.
// Bojanowski, Grave, Joulin, Mikolov: Enriching word vectors with subword information, 2017, arXiv
// 1607.04606 (fastText).

#include "sentence_indices.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <word_vectors.hpp>

class SentenceEmbeddings : public ptp::support::WithVocabulary {
public:
    static constexpr ptp_kind kind = PTP_MODEL;
    static constexpr const char* name = "SentenceEmbeddings";
    static constexpr const char* summary = "A learned vector for each word of a sentence";
    static constexpr const char* description =
        "SentenceIndexer and IndexEmbeddings in one: words become their indices in a vocabulary, "
        "sentences are filled up with \"<PAD>\" to the longest of the batch, or to fixed_padding, "
        "and the output has row number index of the parameter embeddings.weight in place of each "
        "index. The row of \"<PAD>\" is zeros and has no gradient, so that it remains zeros. A sentence without "
        "words has the length 1, of \"<PAD>\".\n"
        "The other rows begin with numbers drawn from N(0, 1), with pretrained_embeddings_file "
        "from N(0, 0.6^2) for words that the file does not have. It is a text in UTF-8, as it is "
        "or gzipped, with a word and its vector in each line: GloVe's .txt, or fastText's .vec, "
        "whose first line has the number of words and the size. Where a word is there twice the "
        "first counts. Only rows of the vocabulary's words are kept. They are trained like all "
        "others unless `freeze` is set. Where weights come from a checkpoint the file is not read.\n"
        "The vocabulary is that of the global which word_mappings names, or of word_mappings_file, "
        "or of source_vocabulary_files.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_TOKENS, "B", "The words of each sentence"),
        ptp::output("outputs", PTP_FLOAT, "B, $fixed_padding|length, $embeddings_size",
                    "The vector of each word"),
        ptp::output("lengths", PTP_INTEGER, "B", "How many vectors of each sentence count")
            .when("output_lengths"),
        ptp::output("masks", PTP_BOOL, "B, $fixed_padding|length", "False for padding")
            .when("output_masks")};
    static constexpr std::array globals{
        ptp::support::kVocabularyGlobals[0], ptp::support::kVocabularyGlobals[1],
        ptp::support::kVocabularyGlobals[2], ptp::support::kPadIndexGlobal,
        ptp::publishes("embeddings_size", "Length of a vector").value("$embeddings_size")};
    static constexpr std::array requirements{ptp::support::kVocabularyRequirement};

    struct Config : ptp::support::VocabularyConfig, ptp::support::IndexingConfig {
        int64_t embeddings_size = 0;
        std::string pretrained_embeddings_file;

        Config() { additional_tokens = {ptp::support::kPad}; }

        static constexpr auto settings() {
            return std::tuple_cat(
                VocabularyConfig::settings(),
                std::tuple{
                    ptp::setting(
                        "embeddings_size", &Config::embeddings_size,
                        {.help = "Length of a vector", .range = "[1, inf)", .is_required = true}),
                    ptp::setting("pretrained_embeddings_file", &Config::pretrained_embeddings_file,
                                 {.help = "Vectors to begin with, in data_folder: "
                                          "glove.6B.100d.txt, wiki-news-300d-1M.vec.gz or the "
                                          "like"})},
                IndexingConfig::settings());
        }
    };

    SentenceEmbeddings(const Config& config, ptp::Setup& setup)
        : WithVocabulary(make_vocabulary(config, setup)),
          indices_(config, vocabulary(), setup),
          device_(setup.device()) {
        at::Tensor rows = at::randn({vocabulary().size(), config.embeddings_size});
        const bool is_trained = setup.saved_state().has_value();  // all rows are in the checkpoint
        if (!config.pretrained_embeddings_file.empty() && !is_trained) {
            constexpr double kDeviation = 0.6;  // PyTorchPipe's
            rows.mul_(kDeviation);
            load_vectors(config, setup, rows);
        }
        rows[indices_.pad_index()].zero_();
        weight_ = table_->register_parameter("weight", rows);
        net_->register_module("embeddings", table_);
        setup.publish("embeddings_size", config.embeddings_size);
    }

    std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(const ptp::TokenLists& inputs) {
        const auto rows = indices_.rows_of(inputs, {});
        return {at::embedding(weight_, rows.indices.to(device_),
                              indices_.pad_index()),  // [B, length] -> [B, length, E]
                rows.lengths.to(device_),
                rows.masks.defined() ? rows.masks.to(device_) : rows.masks};
    }

    torch::nn::Module& module() { return *net_; }

private:
    // Replaces the rows of the words in the file.
    void load_vectors(const Config& config, const ptp::Setup& setup, at::Tensor& rows) const {
        const auto path = config.data_folder / config.pretrained_embeddings_file;
        ptp::support::WordVectorFile file(path);
        if (file.size() != config.embeddings_size) {
            throw ptp::SettingError("embeddings_size", "is ", config.embeddings_size,
                                    ", the vectors of ", path.string(), " have ", file.size(),
                                    file.size() == 1 ? " value" : " values",
                                    "\nfix: set embeddings_size = ", file.size());
        }
        std::vector<bool> is_found(static_cast<size_t>(vocabulary().size()));
        const auto lowered = words_in_lower_case();
        std::vector<std::atomic<bool>> is_lower_there(is_found.size());  // several threads read
        const auto counts = file.read(
            [&](std::string_view word) {
                const auto index = vocabulary().index_of(word);
                const auto [first, last] = lowered.equal_range(word);
                for (auto one = first; one != last; ++one) {
                    is_lower_there[static_cast<size_t>(one->second)] = true;
                }
                return index == indices_.pad_index() ? std::nullopt : index;
            },
            [&](int64_t index, std::span<const float> values) {
                is_found[static_cast<size_t>(index)] = true;
                std::ranges::copy(values, rows.data_ptr<float>() + index * file.size());
            });
        const auto words = static_cast<int64_t>(vocabulary().words().size()) - 1;  // but "<PAD>"
        const std::string found =
            ptp::detail::join(counts.found, " of ", words, " words are in ", path.string(), " (",
                              counts.words, " words, vectors of size ", file.size(),
                              "); not there, with random vectors: ", words - counts.found,
                              "; duplicates, not used: ", counts.duplicates);
        if (2 * counts.found < words) {
            setup.log_warning(found + advice_on_missing(is_found, is_lower_there));
        } else {
            setup.log_result(found);
        }
    }

    // Returns the words with capitals, in lower case, with their indices.
    std::multimap<std::string, int64_t, std::less<>> words_in_lower_case() const {
        std::multimap<std::string, int64_t, std::less<>> words;
        for (const auto& [index, word] : vocabulary().words()) {
            std::string lower = *word;
            for (char& letter : lower) {
                letter += 'A' <= letter && letter <= 'Z' ? 'a' - 'A' : 0;
            }
            if (lower != *word) {
                words.emplace(std::move(lower), index);
            }
        }
        return words;
    }

    // Shows a few of the missing words, with a fix where the file has some in lower case.
    std::string advice_on_missing(const std::vector<bool>& is_found,
                                  const std::vector<std::atomic<bool>>& is_lower_there) const {
        constexpr int64_t kShown = 3;
        int64_t missing = 0;
        int64_t lower_count = 0;
        std::string few;
        for (const auto& [index, word] : vocabulary().words()) {
            const auto i = static_cast<size_t>(index);
            if (index != indices_.pad_index() && !is_found[i]) {
                few += missing >= kShown ? "" : (missing == 0 ? "'" : ", '") + *word + "'";
                ++missing;
                lower_count += is_lower_there[i] ? 1 : 0;
            }
        }
        few = ptp::detail::join("\n    ", missing, missing == 1 ? " word is" : " words are",
                                " missing, such as ", few);
        return lower_count == 0
                   ? few + ": is the file of another language, or a part of one?"
                   : ptp::detail::join(
                         few, "; in lower case, ", lower_count, " of them ",
                         lower_count == 1 ? "is" : "are",
                         " there\n    fix: let the SentenceTokenizer before make "
                         "the vocabulary, vocabulary = true, with preprocessing = \"lowercase\" "
                         "and split_at = \"word_boundaries\" where it lacks them, and take its "
                         "published_word_mappings as word_mappings here");
    }

    ptp::support::SentenceIndices indices_;
    at::Device device_;
    std::shared_ptr<torch::nn::Module> net_ = std::make_shared<torch::nn::Module>();
    std::shared_ptr<torch::nn::Module> table_ = std::make_shared<torch::nn::Module>();
    at::Tensor weight_;  // as registered by the module
};

template const ptp_component_info& ptp::component<SentenceEmbeddings>();
