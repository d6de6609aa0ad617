// Trainings on sequences of different lengths: padding that counts, and lengths that must be equal.

#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace padding_test {

using namespace ptp::test;

namespace {

// A network that writes each word again, which has the same index in the targets, but the filling
// has another. These lines are in what makes the targets, and these in the loss and the statistic.
std::string experiment(const TempFolder& folder, const std::string& targets,
                       const std::string& loss) {
    folder.write("texts/one/a.txt", "a b c\na\nb c\n");
    folder.write("texts/two/a.txt", "a b c\n");
    return "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
           "terminal_conditions = { epoch_limit = 1 }\n"
           "task = { type = \"TextFolder\", batch_size = 4, lines = true, vocabulary = true, "
           "globals = { word_mappings = \"words\" }, data_folder = \"" +
           (folder.path() / "texts").string() + R"(" }
[pipeline.split]
type = "SentenceTokenizer"
streams = { outputs = "words" }
[pipeline.sources]
type = "SentenceIndexer"
additional_tokens = ["<EOS>", "<PAD>"]
streams = { inputs = "words", outputs = "source_indices" }
globals = { word_mappings = "words", vocabulary_size = "count" }
[pipeline.targets]
type = "SentenceIndexer"
streams = { inputs = "words", outputs = "target_indices" }
)" + targets +
           R"([pipeline.vectors]
type = "IndexEmbeddings"
embeddings_size = 4
streams = { inputs = "source_indices", outputs = "vectors" }
globals = { vocab_size = "count" }
[pipeline.net]
type = "RecurrentNeuralNetwork"
hidden_size = 4
streams = { inputs = "vectors" }
globals = { prediction_size = "count" }
[pipeline.loss]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "target_indices" }
)" + loss + R"([pipeline.accuracy]
type = "AccuracyStatistics"
num_targets_dims = 2
streams = { targets = "target_indices" }
)" + loss;
}

ProcessResult trained(const TempFolder& folder, const std::string& text) {
    const std::string file = folder.write("e.toml", text).string();
    std::filesystem::remove_all(folder.path() / "run");
    return ptprun({file, "--quiet", "--run-dir", (folder.path() / "run").string()});
}

constexpr const char* kWords = "globals = { word_mappings = \"words\" }\n";
constexpr const char* kWordsAndPadding =
    "globals = { word_mappings = \"words\", pad_index = \"padding\" }\n";

}  // namespace

TEST_CASE("padding: a loss and a statistic that count it are warned of at the first batch") {
    const TempFolder folder;
    const ProcessResult result = trained(folder, experiment(folder, kWords, ""));
    CHECK(result.status == 0);
    const auto warning = [](const std::string& node, const std::string& name) {
        return "warning: " + node +
               " counts the padding of 'target_indices' by 'targets' (SentenceIndexer) as right "
               "answers: 3 of the 12 targets of the first batch are 3\n"
               "    fix: write globals = { pad_index = \"targets_pad_index\" } in pipeline.targets "
               "and globals = { ignore_index = \"targets_pad_index\" } in pipeline." +
               name + "\n";
    };
    CHECK(result.errors == warning("'loss' (NLLLoss)", "loss") +
                               warning("'accuracy' (AccuracyStatistics)", "accuracy"));
}

TEST_CASE("padding: what leaves it out is not warned of, and another ignored target is") {
    const TempFolder folder;
    CHECK(trained(folder, experiment(folder, kWordsAndPadding,
                                     "globals = { ignore_index = \"padding\" }\n"))
              .errors == "");
    CHECK(trained(folder, experiment(folder, kWords, "globals = { ignore_index = 3 }\n")).errors ==
          "");
    const std::string other =
        trained(folder, experiment(folder, kWords, "globals = { ignore_index = 0 }\n")).errors;
    CHECK_MESSAGE(other.find("3 of the 12 targets of the first batch are 3, and only 0 does not "
                             "count\n") != std::string::npos,
                  other);
}

TEST_CASE("padding: targets that are longer than predictions are the experiment's fault") {
    const TempFolder folder;
    const ProcessResult result =
        trained(folder, experiment(folder, "eos_token = true\n" + std::string(kWords), ""));
    CHECK(result.status == 2);
    CHECK_MESSAGE(
        result.errors.find(
            "error: 'targets' (SentenceIndexer) writes [4, 4] to stream 'target_indices', and "
            "stream 'source_indices' is [4, 3]: dimension 1 must be the same, as 'loss' (NLLLoss) "
            "reads it beside 'predictions', [B, n.1, classes = 5]\n"
            "    fix: set pipeline.sources.fixed_padding and pipeline.targets.fixed_padding to the "
            "same number, as long as the longest\n") != std::string::npos,
        result.errors);
}

}  // namespace padding_test
