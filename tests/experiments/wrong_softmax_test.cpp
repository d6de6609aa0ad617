// A softmax, or its logarithm, along another dimension than that of the classes.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace wrong_softmax_test {

using ptp::test::replaced;

namespace {

// The next word of texts is predicted: [B, length, words].
constexpr const char* kWords = R"(seed = 1
[training]
optimizer = { type = "Adam" }
[training.task]
type = "WikiTextLanguageModeling"
batch_size = 16
data_folder = "wt"
vocabulary = true
globals = { word_mappings = "corpus" }
[pipeline.sources]
type = "SentenceIndexer"
streams = { inputs = "sources", outputs = "source_indices" }
globals = { word_mappings = "corpus", vocabulary_size = "word_count" }
[pipeline.targets]
type = "SentenceIndexer"
streams = { inputs = "targets", outputs = "target_indices" }
globals = { word_mappings = "corpus" }
[pipeline.net]
type = "LayerStack"
layers = [
  { type = "Embedding", num_embeddings = "word_count", embedding_dim = 32 },
  { type = "LSTM", hidden = 32 },
  { type = "Linear", out = "word_count" },
  "LogSoftmax",
]
streams = { inputs = "source_indices", outputs = "predictions" }
[pipeline.loss]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "target_indices" }
)";

// Returns the experiment of words with scores in place of probabilities, and with one more
// component behind them.
std::string with_scores(const std::string& transform, const std::string& loss) {
    std::string text = replaced(kWords, "  \"LogSoftmax\",\n", "");
    text = replaced(text, "outputs = \"predictions\"", "outputs = \"scores\"");
    return replaced(text, "[pipeline.loss]\ntype = \"NLLLoss\"\n",
                    "[pipeline.soft]\n" + transform +
                        "streams = { inputs = \"scores\", outputs = \"predictions\" }\n"
                        "[pipeline.loss]\n" +
                        loss);
}

std::string problems_of(const std::string& text) {
    return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
}

constexpr const char* kLayer = "{ type = \"LogSoftmax\", dim = -1 }";

}  // namespace

TEST_CASE("wrong softmax: along the steps of sequences it is refused, for all of a kind") {
    CHECK(
        problems_of(kWords) ==
        "e.toml:24:3: pipeline.net.layers[3]: makes probabilities along dimension 1 (dim = 1, the "
        "default), and 'loss' (NLLLoss) takes dimension 2 of 'predictions', [B, "
        "length, word_count], as that of the classes\n"
        "    fix: write { type = \"LogSoftmax\", dim = -1 } in place of \"LogSoftmax\" as "
        "pipeline.net.layers[3], or set pipeline.loss.classes_first = true if dimension 1 is "
        "theirs");
    CHECK(problems_of(replaced(kWords, "\"LogSoftmax\"", kLayer)) == "");
    CHECK(problems_of(replaced(kWords, "\"LogSoftmax\"", "{ type = \"LogSoftmax\", dim = 2 }")) ==
          "");
    CHECK(problems_of(replaced(kWords, "\"LogSoftmax\"", "{ type = \"LogSoftmax\", dim = 1 }"))
              .find("(dim = 1), and") != std::string::npos);
    CHECK(problems_of(replaced(kWords, "\"LogSoftmax\"", "{ type = \"LogSoftmax\", dim = 1 }"))
              .find("fix: set pipeline.net.layers[3].dim = -1, or") != std::string::npos);
    // A layer behind it that changes the numbers, or one that does not, and one before the loss.
    CHECK(problems_of(replaced(kWords, "\"LogSoftmax\"", "\"LogSoftmax\", \"Identity\"")) == "");
}

TEST_CASE("wrong softmax: transforms and statistics are compared as layers and losses are") {
    const std::string log_softmax =
        "type = \"NonLinearity\"\nfunction = \"log_softmax\"\n"
        "num_inputs_dims = 3\n";
    CHECK(problems_of(with_scores(log_softmax, "type = \"NLLLoss\"\n"))
              .ends_with("fix: set pipeline.soft.dim = 2, or set pipeline.loss.classes_first = "
                         "true if dimension 1 is theirs"));
    CHECK(problems_of(with_scores(log_softmax + "dim = 2\n", "type = \"NLLLoss\"\n")) == "");
    const auto with_calibration = [](const std::string& transform) {
        return replaced(with_scores(transform, "type = \"CrossEntropyLoss\"\n"),
                        "streams = { targets = \"target_indices\" }\n",
                        "streams = { predictions = \"scores\", targets = \"target_indices\" }\n"
                        "[pipeline.quality]\ntype = \"CalibrationStatistics\"\n"
                        "num_targets_dims = 2\nuse_probabilities = true\n"
                        "streams = { targets = \"target_indices\" }\n");
    };
    CHECK(problems_of(with_calibration("type = \"Softmax\"\n"))
              .ends_with("[B, length, word_count], as that of the classes\n"
                         "    fix: set pipeline.soft.dim = -1"));
    CHECK(problems_of(with_calibration("type = \"Softmax\"\ndim = -1\n")) == "");
    CHECK(problems_of(with_calibration("type = \"NonLinearity\"\nfunction = \"sigmoid\"\n"
                                       "num_inputs_dims = 3\n")) == "");
}

}  // namespace wrong_softmax_test
