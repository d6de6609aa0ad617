// First attempts at experiments with texts, as somebody writes them who knows the names of
// components: all that is missing is reported at once, with its fix.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace first_texts_test {

using ptp::test::replaced;

namespace {

std::string problems_of(const std::string& text) {
    return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
}

constexpr const char* kTranslation = R"([training]
optimizer = { type = "Adam" }
[training.task]
type = "TranslationPairs"
batch_size = 32
[pipeline.source_indexer]
type = "SentenceIndexer"
streams = { inputs = "sources", outputs = "source_indices" }
globals = { word_mappings = "english", vocabulary_size = "source_size" }
[pipeline.target_indexer]
type = "SentenceIndexer"
streams = { inputs = "targets", outputs = "target_indices" }
globals = { word_mappings = "french", vocabulary_size = "target_size" }
[pipeline.embeddings]
type = "IndexEmbeddings"
embeddings_size = 64
streams = { inputs = "source_indices", outputs = "vectors" }
globals = { vocab_size = "source_size" }
[pipeline.encoder]
type = "RecurrentNeuralNetwork"
cell_type = "GRU"
hidden_size = 100
use_output_layer = false
output_last_state = true
streams = { inputs = "vectors", predictions = "encoded", output_state = "state" }
[pipeline.decoder]
type = "AttentionDecoder"
streams = { inputs = "encoded", input_state = "state" }
globals = { prediction_size = "target_size" }
[pipeline.loss]
type = "NLLLoss"
streams = { targets = "target_indices" }
[pipeline.bleu]
type = "BLEUStatistics"
streams = { targets = "target_indices" }
)";

constexpr const char* kModel = R"([training]
optimizer = { type = "Adam" }
[training.task]
type = "WikiTextLanguageModeling"
batch_size = 32
[pipeline.index]
type = "SentenceIndexer"
streams = { inputs = "sources", outputs = "indices" }
globals = { vocabulary_size = "count" }
[pipeline.embed]
type = "IndexEmbeddings"
embeddings_size = 16
streams = { inputs = "indices", outputs = "vectors" }
globals = { vocab_size = "count" }
[pipeline.rnn]
type = "RecurrentNeuralNetwork"
streams = { inputs = "vectors" }
globals = { prediction_size = "count" }
[pipeline.loss]
type = "NLLLoss"
)";

// Sentences that become as many vectors as the windows have words.
constexpr const char* kWindows = R"(seed = 2
[training]
optimizer = { type = "Adam" }
[training.task]
type = "WikiTextLanguageModeling"
batch_size = 16
sentence_length = 10
vocabulary = true
globals = { word_mappings = "words" }
[pipeline.indexer]
type = "SentenceIndexer"
streams = { inputs = "sources", outputs = "word_indices" }
globals = { word_mappings = "words", vocabulary_size = "count" }
[pipeline.loss]
type = "CrossEntropyLoss"
num_targets_dims = 2
streams = { targets = "word_indices" }
[pipeline.encoder]
type = "LayerStack"
layers = [{ type = "Embedding", num_embeddings = "count", embedding_dim = 8 }, { type = "GRU", hidden = 12 }]
streams = { inputs = "word_indices", outputs = "encoded" }
[pipeline.mean]
type = "ReduceTensor"
reduction_type = "mean"
streams = { inputs = "encoded", outputs = "code" }
[pipeline.decoder]
type = "LayerStack"
layers = [{ type = "Linear", out = 120 }, { type = "Unflatten", unflattened_size = [10, 12] }, { type = "Linear", out = "count" }]
streams = { inputs = "code", outputs = "predictions" }
)";

}  // namespace

TEST_CASE("first texts: a translation learns where its words come from, and its dimensions") {
    CHECK(
        problems_of(kTranslation) ==
        "e.toml:6:1: pipeline.source_indexer: reads global 'english', which nothing publishes\n"
        "    fix: write globals = { source_word_mappings = \"english\" } in training.task\n"
        "e.toml:10:1: pipeline.target_indexer: reads global 'french', which nothing publishes\n"
        "    fix: write globals = { target_word_mappings = \"french\" } in training.task\n"
        "e.toml:30:1: pipeline.loss: takes 1 dimension as 'targets', but stream 'target_indices' "
        "has 2\n"
        "    'target_indexer' (SentenceIndexer) writes [B, length] as 'outputs'\n"
        "    'loss' (NLLLoss) reads [B] as 'targets'\n"
        "    fix: set pipeline.loss.num_targets_dims = 2\n"
        "e.toml:30:1: pipeline.loss: takes 2 dimensions as 'predictions', but stream 'predictions' "
        "has 3\n"
        "    'decoder' (AttentionDecoder) writes [B, 10, prediction_size] as 'predictions'\n"
        "    'loss' (NLLLoss) reads [B, classes] as 'predictions'\n"
        "    fix: set pipeline.loss.num_targets_dims = 2\n"
        "e.toml:33:1: pipeline.bleu: reads global 'word_mappings', which nothing publishes\n"
        "    fix: write globals = { published_word_mappings = \"word_mappings\" } in "
        "pipeline.target_indexer");
    std::string fixed = replaced(kTranslation, "batch_size = 32\n",
                                 "batch_size = 32\nglobals = { source_word_mappings = \"english\", "
                                 "target_word_mappings = \"french\" }\n");
    for (const std::string reader : {"RecurrentNeuralNetwork", "AttentionDecoder"}) {
        fixed = replaced(fixed, "type = \"" + reader + "\"\n",
                         "type = \"" + reader + "\"\nuse_lengths = true\n");
    }
    fixed = replaced(fixed, "[pipeline.source_indexer]\n",
                     "[pipeline.source_indexer]\noutput_lengths = true\n");
    fixed = replaced(fixed, "type = \"NLLLoss\"\n", "type = \"NLLLoss\"\nnum_targets_dims = 2\n");
    fixed = replaced(fixed, "vocabulary_size = \"target_size\"",
                     "vocabulary_size = \"target_size\", published_word_mappings = "
                     "\"word_mappings\"");
    CHECK(
        problems_of(fixed) ==
        "e.toml:12:1: warning: pipeline.target_indexer: 'target_indices' is as long as the "
        "longest sequence of its batch, and must be 10 long in each, as 'loss' (NLLLoss) reads "
        "it beside 'predictions', [B, n.1 = 10, classes]: any other batch ends the run\n"
        "    fix: set pipeline.target_indexer.fixed_padding = 10\n"
        "e.toml:34:1: warning: pipeline.loss: counts the padding of 'target_indices' by "
        "'target_indexer' (SentenceIndexer) as right answers\n"
        "    fix: write globals = { pad_index = \"target_indexer_pad_index\" } in "
        "pipeline.target_indexer and globals = { ignore_index = \"target_indexer_pad_index\" } in "
        "pipeline.loss");
    fixed = replaced(fixed, "published_word_mappings",
                     "pad_index = \"target_indexer_pad_index\", published_word_mappings");
    fixed = replaced(fixed, "num_targets_dims = 2\n",
                     "num_targets_dims = 2\nglobals = { ignore_index = "
                     "\"target_indexer_pad_index\" }\n");
    fixed = replaced(fixed, "[pipeline.target_indexer]\n",
                     "[pipeline.target_indexer]\nfixed_padding = 10\n");
    CHECK(problems_of(fixed) == "");
    // A beam search does not write the words of the largest scores.
    fixed = replaced(fixed, "type = \"AttentionDecoder\"\n",
                     "type = \"AttentionDecoder\"\nbeam_width = 3\n");
    CHECK(problems_of(fixed) ==
          "e.toml:41:1: warning: pipeline.bleu: takes the largest scores of 'predictions', but "
          "'decoder' (AttentionDecoder) may choose others, which are in 'words'\n"
          "    fix: set pipeline.bleu.use_prediction_distributions = false and write streams = { "
          "predictions = \"words\" } in pipeline.bleu");
    fixed = replaced(fixed, "type = \"BLEUStatistics\"\nstreams = {",
                     "type = \"BLEUStatistics\"\nuse_prediction_distributions = false\nstreams = "
                     "{ predictions = \"words\",");
    CHECK(problems_of(fixed) == "");
}

TEST_CASE("first texts: a language model learns of its vocabulary, its stream and its targets") {
    CHECK(
        problems_of(kModel) ==
        "e.toml:6:1: pipeline.index.word_mappings_file = \"\" (by default): there is no "
        "vocabulary: write globals = { word_mappings = \"NAME\" } with the name of a published "
        "one, or set this or source_vocabulary_files\n"
        "    fix: set training.task.vocabulary = true and write globals = { word_mappings = "
        "\"words\" } in training.task, and globals = { word_mappings = \"words\" } in "
        "pipeline.index\n"
        "e.toml:8:43: pipeline.index: output 'outputs' writes stream 'indices', which the task of "
        "[training] (WikiTextLanguageModeling) writes already: every task does, with the number "
        "of each sample; write streams = { inputs = \"sources\", outputs = \"index_outputs\" }\n"
        "e.toml:19:1: pipeline.loss: input 'targets' takes integers, but stream 'targets' carries "
        "lists of strings (written by the task of [training] (WikiTextLanguageModeling))\n"
        "    fix: add a SentenceIndexer with streams = { inputs = \"targets\", outputs = "
        "\"targets_indices\" }, and write streams = { targets = \"targets_indices\" } in "
        "pipeline.loss\n"
        "e.toml:19:1: pipeline.loss: takes 2 dimensions as 'predictions', but stream "
        "'predictions' has 3\n"
        "    'rnn' (RecurrentNeuralNetwork) writes [B, length, prediction_size] as "
        "'predictions'\n"
        "    'loss' (NLLLoss) reads [B, classes] as 'predictions'\n"
        "    fix: set pipeline.loss.num_targets_dims = 2");
}

TEST_CASE("first texts: what is made of texts is read in their place, and is one error") {
    const std::string problems =
        problems_of(replaced(kTranslation, "\"AttentionDecoder\"\n",
                             "\"AttentionDecoder\"\nteacher_forcing_rate = 0.5\n"));
    CHECK(problems.find("pipeline.decoder: input 'targets' takes integers, but stream 'targets' "
                        "carries lists of strings (written by the task of [training] "
                        "(TranslationPairs)); streams of integers: source_indices and "
                        "target_indices\n"
                        "    fix: write streams = { inputs = \"encoded\", input_state = \"state\", "
                        "targets = \"target_indices\" } in pipeline.decoder\n") !=
          std::string::npos);
    CHECK(problems.find("pipeline.decoder: takes") == std::string::npos);
    const std::string texts = R"([training]
optimizer = { type = "Adam" }
task = { type = "TextFolder", batch_size = 2, data_folder = "t", vocabulary = true, globals = { word_mappings = "all" } }
[pipeline.words]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.bag]
type = "BOWEncoder"
input_mode = "words"
streams = { outputs = "counts" }
globals = { word_mappings = "all" }
[pipeline.classifier]
type = "FeedForwardNetwork"
streams = { inputs = "counts" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";
    CHECK(problems_of(texts) ==
          "e.toml:7:1: pipeline.bag: input 'inputs' takes lists of strings, but stream 'inputs' "
          "carries strings (written by the task of [training] (TextFolder)); streams of lists of "
          "strings: words\n"
          "    fix: write streams = { inputs = \"words\", outputs = \"counts\" } in pipeline.bag");
    const std::size_t first = texts.find("[pipeline.");
    const std::size_t bag = texts.find("[pipeline.bag]");
    const std::size_t next = texts.find("[pipeline.", bag + 1);
    CHECK(problems_of(texts.substr(0, first) + texts.substr(bag, next - bag))
              .find("carries strings (written by the task of [training] (TextFolder))\n"
                    "    fix: add a SentenceTokenizer with streams = { inputs = \"inputs\", "
                    "outputs = \"inputs_words\" }, and write streams = { inputs = "
                    "\"inputs_words\", outputs = \"counts\" } in pipeline.bag") !=
          std::string::npos);
    CHECK(problems_of(replaced(texts, "{ outputs = \"counts\" }",
                               "{ inputs = \"words\", outputs = \"counts\" }")) == "");
}

TEST_CASE("first texts: a section that reads lines beside one that reads files is warned of") {
    const auto said = [](const std::string& training, const std::string& validation) {
        const std::string all = problems_of(
            "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\ntask = { type = "
            "\"TextFolder\", data_folder = \"train\", batch_size = 4, vocabulary = true, globals = { "
            "word_mappings = \"text_words\" }" +
            training +
            " }\n[validation]\ntask = { type = \"TextFolder\", data_folder = \"later\", batch_size "
            "= 4" +
            validation +
            " }\n[pipeline.splitter]\ntype = \"SentenceTokenizer\"\nstreams = { outputs = \"words\" }\n"
            "[pipeline.bow]\ntype = \"BOWEncoder\"\ninput_mode = \"words\"\nstreams = { inputs = "
            "\"words\", outputs = \"counts\" }\nglobals = { word_mappings = \"text_words\" }\n"
            "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nstreams = { inputs = \"counts\" }\nglobals = { "
            "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = \"NLLLoss\"\n");
        CHECK(all.find("error") == std::string::npos);
        const auto at = all.find("validation.task.lines");
        return at == std::string::npos ? ""
                                       : all.substr(at, all.find('\n', all.find("fix: ", at)) - at);
    };
    CHECK(said(", lines = true", "") ==
          "validation.task.lines: warning: false, but true in [training]: the model sees other "
          "inputs than it is trained with\n    fix: write lines = true in validation.task");
    CHECK(said(", lines = true", ", lines = true") == "");
}

TEST_CASE("first texts: windows of a text are equally long, so that none is filled up") {
    CHECK(problems_of(kWindows) == "");
}

}  // namespace first_texts_test
