// SentencePieceTokenizer: sentences to the pieces of words of a trained model, and back.
//
// Kudo, Richardson: SentencePiece: A simple and language independent subword tokenizer and
// detokenizer for neural text processing, EMNLP 2018, arXiv 1808.06226. Uses the library of its
// authors.

#include "piece_model.hpp"
#include "piece_tokenizer.hpp"

class SentencePieceTokenizer : public subwords::PieceTokenizer {
public:
    static constexpr const char* name = "SentencePieceTokenizer";
    static constexpr const char* summary =
        "Splits sentences into pieces of words, or joins pieces, by a model of SentencePiece";
    static constexpr const char* description =
        "Pieces are those of model_file, a space within them is U+2581, and what the model does not "
        "know stays in one piece, whose index is that of the model's piece for unknown ones. "
        "bos_token and eos_token put the model's pieces for the begin and the end of a sentence "
        "around it. With output_indices there are the indices of the pieces, too, filled up to the "
        "longest of the batch with the model's index of padding or with padding_index, and how "
        "many of a sentence are not padding.\n"
        "With detokenize = true pieces become sentences again, with from_indices indices do; begin, "
        "end and padding leave nothing.\n"
        "published_word_mappings is the vocabulary of the pieces, for SentenceIndexer and its like. "
        "A trained run is continued with the same model only.\n"
        "Kudo and Richardson 2018, arXiv 1808.06226.";

    static constexpr const char* kObtain =
        "take the .model file of a published model, or train one: spm_train "
        "--input=TEXT --model_prefix=NAME --vocab_size=8000 --pad_id=3";

    struct Config : subwords::PieceConfig {
        std::filesystem::path model_file;

        static constexpr auto settings() {
            return std::tuple_cat(
                std::tuple{ptp::setting("model_file", &Config::model_file,
                                        {.help = "Model that SentencePiece has trained",
                                         .is_required = true,
                                         .obtain = kObtain})},
                PieceConfig::settings());
        }
    };

    SentencePieceTokenizer(const Config& config, const ptp::Setup& setup)
        : PieceTokenizer(config, setup,
                         std::make_unique<const subwords::PieceModel>(config.model_file),
                         "model_file " + config.model_file.string()) {}
};

template const ptp_component_info& ptp::component<SentencePieceTokenizer>();
