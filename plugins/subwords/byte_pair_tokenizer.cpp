// BytePairTokenizer: sentences to the pieces of GPT-2's vocabulary, and back.

#include "byte_pairs.hpp"
#include "piece_tokenizer.hpp"

class BytePairTokenizer : public subwords::PieceTokenizer {
public:
    static constexpr const char* name = "BytePairTokenizer";
    static constexpr const char* summary =
        "Splits sentences into pieces of words, or joins pieces, as GPT-2 does";
    static constexpr const char* description =
        "Byte-level byte pair encoding by the two files of a published model. A blank in front of "
        "a word is a part of its first piece, written as U+0120; every text has pieces, because "
        "each byte is one. The piece that begins and ends a text is <|endoftext|>, or <s> and </s> "
        "where the vocabulary has these; GPT-2 has none for padding: set padding_index = 50256, "
        "which is <|endoftext|>, and use the lengths.\n"
        "With output_indices there are the indices of the pieces, too, for CausalTransformer. With "
        "detokenize = true pieces become sentences again, with from_indices indices do; what "
        "begins, ends and pads leaves nothing.\n"
        "Pieces and indices are those of GPT2Tokenizer of Hugging Face's transformers. A trained "
        "run is continued with the same files only.\n"
        "Radford et al. 2019; Sennrich, Haddow and Birch 2016, arXiv 1508.07909.";

    static constexpr const char* kObtain =
        "take it from the published model, such as https://huggingface.co/openai-community/gpt2";

    struct Config : subwords::PieceConfig {
        std::filesystem::path vocabulary_file;
        std::filesystem::path merges_file;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("vocabulary_file", &Config::vocabulary_file,
                                        {.help = "The pieces and their indices, vocab.json",
                                         .is_required = true,
                                         .obtain = kObtain}),
                           ptp::setting("merges_file", &Config::merges_file,
                                        {.help = "Which pieces become one, merges.txt",
                                         .is_required = true,
                                         .obtain = kObtain})},
                PieceConfig::settings());
        }
    };

    BytePairTokenizer(const Config& config, const ptp::Setup& setup)
        : PieceTokenizer(config, setup,
                         std::make_unique<const subwords::BytePairs>(config.vocabulary_file,
                                                                     config.merges_file),
                         "vocabulary_file " + config.vocabulary_file.string()) {}
};

template const ptp_component_info& ptp::component<BytePairTokenizer>();
