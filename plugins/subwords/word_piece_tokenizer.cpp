// WordPieceTokenizer: sentences to the pieces of BERT's vocabulary, and back.

#include "piece_tokenizer.hpp"
#include "word_pieces.hpp"

class WordPieceTokenizer : public subwords::PieceTokenizer {
public:
    static constexpr const char* name = "WordPieceTokenizer";
    static constexpr const char* summary =
        "Splits sentences into pieces of words, or joins pieces, as BERT does";
    static constexpr const char* description =
        "WordPiece by the vocabulary of a published model, a piece in each line. Blanks, "
        "punctuation and ideographs end words; a word becomes the longest pieces from the left, "
        "those within it with ## in front, or [UNK]. bos_token and eos_token put [CLS] and [SEP] "
        "around a sentence, as published networks expect them.\n"
        "With output_indices there are the indices of the pieces, too, for TextEncoder, filled up "
        "with that of [PAD]. With detokenize = true pieces become sentences again, with "
        "from_indices indices do: blanks between words, and nothing for [CLS], [SEP], [PAD], [UNK] and "
        "[MASK].\n"
        "Pieces and indices are those of BertTokenizer of Hugging Face's transformers. A trained "
        "run is continued with the same file only.\n"
        "Devlin et al. 2018, arXiv 1810.04805.";

    static constexpr const char* kObtain =
        "take it from the published model, such as "
        "https://huggingface.co/google-bert/bert-base-uncased";

    struct Config : subwords::PieceConfig {
        std::filesystem::path vocabulary_file;
        bool lowercase = true;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{
                    ptp::setting(
                        "vocabulary_file", &Config::vocabulary_file,
                        {.help = "The pieces, vocab.txt", .is_required = true, .obtain = kObtain}),
                    ptp::setting("lowercase", &Config::lowercase,
                                 {.help = "Make letters lower-case and take their accents, "
                                          "for models that are called uncased"})},
                PieceConfig::settings());
        }
    };

    WordPieceTokenizer(const Config& config, const ptp::Setup& setup)
        : PieceTokenizer(config, setup,
                         std::make_unique<const subwords::WordPieces>(config.vocabulary_file,
                                                                      config.lowercase),
                         "vocabulary_file " + config.vocabulary_file.string()) {}
};

template const ptp_component_info& ptp::component<WordPieceTokenizer>();
