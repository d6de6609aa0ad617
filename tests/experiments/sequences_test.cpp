// Models of sequences that would learn something else than is meant, and what their errors advise.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace sequences_test {

namespace {

using ptp::pipeline::NeededFiles;

std::string problems_of(const std::string& text) {
    return ptp::test::problems_of(text, NeededFiles::kIgnored);
}

// A classifier of texts with these components.
std::string classifier(const std::string& components) {
    return problems_of(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "TextFolder", batch_size = 4, data_folder = "d", vocabulary = true, globals = { word_mappings = "words" } }
[pipeline.tok]
type = "SentenceTokenizer"
streams = { outputs = "tokens" }
[pipeline.index]
type = "SentenceIndexer"
output_lengths = true
streams = { inputs = "tokens", outputs = "read" }
globals = { word_mappings = "words", vocabulary_size = "size" }
[pipeline.loss]
type = "NLLLoss"
)" + components);
}

}  // namespace

TEST_CASE("sequences: a layer alone has no names of globals, and is to be in a list with them") {
    CHECK(classifier("[pipeline.embed]\ntype = \"Embedding\"\nnum_embeddings = \"size\"\n"
                     "embedding_dim = 8\nstreams = { inputs = \"read\", outputs = \"vectors\" }\n")
              .find("e.toml:16:18: pipeline.embed.num_embeddings = \"size\": must be an integer in "
                    "[1, inf), not a string: only layers in a list have the names of globals in "
                    "place of numbers\n    fix: write type = \"LayerStack\" and layers = [{ type = "
                    "\"Embedding\", num_embeddings = \"size\", embedding_dim = 8 }] in "
                    "pipeline.embed, and leave the other settings out") != std::string::npos);
}

TEST_CASE("sequences: words for a component that reads vectors by default are one error") {
    CHECK(classifier("[pipeline.bow]\ntype = \"BOWEncoder\"\n"
                     "streams = { inputs = \"tokens\", outputs = \"bags\" }\n"
                     "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nstreams = { inputs = \"bags\" "
                     "}\nglobals = { prediction_size = \"num_classes\" }\n") ==
          "e.toml:16:22: pipeline.bow: input 'inputs' takes lists of tensors, but stream 'tokens' "
          "carries lists of strings (written by 'tok' (SentenceTokenizer))\n"
          "    fix: set pipeline.bow.input_mode = \"words\"");
}

TEST_CASE("sequences: a layer that reads all steps where one is meant reads the last") {
    const auto layers = [](const std::string& recurrent, const std::string& linear) {
        return classifier(
            "[pipeline.net]\ntype = \"LayerStack\"\nmore_inputs = [\"lengths\"]\n"
            "layers = [{ type = \"Embedding\", num_embeddings = \"size\", "
            "embedding_dim = 8 }, { type = \"GRU\", hidden = 4" +
            recurrent + " }, { type = \"Linear\", out = \"num_classes\"" + linear +
            " }, \"LogSoftmax\"]\nstreams = { inputs = \"read\", outputs = "
            "\"predictions\" }\n");
    };
    CHECK(layers("", "") ==
          "e.toml:12:1: pipeline.loss: takes 2 dimensions as 'predictions', but stream "
          "'predictions' has 3\n"
          "    'net' (LayerStack) writes [B, length, num_classes] as 'outputs'\n"
          "    'loss' (NLLLoss) reads [B, classes] as 'predictions'\n"
          "    fix: write streams = { last = \"last\" } in pipeline.net.layers[1] and streams = { "
          "inputs = \"last\" } in pipeline.net.layers[2]");
    CHECK(layers(", streams = { last = \"last\" }", ", streams = { inputs = \"last\" }") == "");
}

TEST_CASE(
    "sequences: all steps in one vector are refused for a model, unless their number is fixed") {
    const auto layers = [](const std::string& recurrent, const std::string& flat) {
        return classifier(
            "[pipeline.net]\ntype = \"LayerStack\"\nmore_inputs = [\"lengths\"]\n"
            "layers = [{ type = \"Embedding\", num_embeddings = \"size\", embedding_dim = 8 }, " +
            recurrent + "{ type = \"Flatten\"" + flat +
            " }, { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"]\n"
            "streams = { inputs = \"read\", outputs = \"predictions\" }\n");
    };
    const std::string gru = "{ type = \"GRU\", hidden = 4 }, ";
    const std::string error =
        ": makes one vector of all steps ('length'), whose number differs from batch to batch, and "
        "layer ";
    CHECK(
        layers(gru, "") ==
        "e.toml:17:109: pipeline.net.layers[2]" + error +
            "3 of 'net' (Linear) needs vectors of one size\n"
            "    fix: write streams = { last = \"last\" } in pipeline.net.layers[1] and streams = "
            "{ inputs = \"last\" } in pipeline.net.layers[2]");
    CHECK(layers("{ type = \"GRU\", hidden = 4, streams = { last = \"last\" } }, ",
                 ", streams = { inputs = \"last\" }") == "");
    CHECK(layers("", "") ==
          "e.toml:17:79: pipeline.net.layers[1]" + error +
              "2 of 'net' (Linear) needs vectors of one size\n"
              "    fix: end the list before it, take their sum or mean, by a ReduceTensor with "
              "use_lengths = true, over the steps behind the list, and put what follows into a "
              "second list");
    const std::string behind =
        "[pipeline.embed]\ntype = \"LayerStack\"\nmore_inputs = [\"lengths\"]\n"
        "layers = [{ type = \"Embedding\", num_embeddings = \"size\", embedding_dim = 8 }, { type "
        "= \"GRU\", hidden = 4 }]\nstreams = { inputs = \"read\", outputs = \"steps\" }\n"
        "[pipeline.flat]\ntype = \"Flatten\"\n"
        "streams = { inputs = \"steps\", outputs = \"flat\" }\n"
        "[pipeline.twice]\ntype = \"ConcatenateTensor\"\ninput_streams = [\"flat\", \"flat\"]\n"
        "streams = { outputs = \"twice\" }\n"
        "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nstreams = { inputs = \"twice\" }\n"
        "globals = { prediction_size = \"num_classes\" }\n";
    CHECK(classifier(behind) ==
          "e.toml:19:1: pipeline.flat: makes one vector of all steps ('length'), whose "
          "number differs from batch to batch, and 'net' (FeedForwardNetwork) needs vectors of one "
          "size\n"
          "    fix: write streams = { last = \"last\" } in pipeline.embed.layers[1], set "
          "pipeline.embed.more_outputs = [\"last\"], and write streams = { inputs = \"last\" } in "
          "pipeline.flat");
}

TEST_CASE("sequences: lengths that no layer reads enter a list of layers by its setting") {
    const auto layers = [](const std::string& more) {
        return classifier("[pipeline.net]\ntype = \"LayerStack\"\n" + more +
                          "layers = [{ type = \"Embedding\", num_embeddings = \"size\", "
                          "embedding_dim = 8 }, { type = \"GRU\", hidden = 4, streams = { last = "
                          "\"last\" } }, { type = \"Linear\", out = \"num_classes\", streams = { "
                          "inputs = \"last\" } }, \"LogSoftmax\"]\nstreams = { inputs = \"read\", "
                          "outputs = \"predictions\" }\n");
    };
    CHECK(layers("") ==
          "e.toml:16:79: warning: pipeline.net.layers[1]: reads the filling of shorter sequences "
          "as if it were data: 'index' (SentenceIndexer) fills all up to the longest of their "
          "batch\n"
          "    fix: set pipeline.net.more_inputs = [\"lengths\"]");
    CHECK(layers("more_inputs = [\"lengths\"]\n") == "");
}

TEST_CASE("sequences: an output that a setting adds is one error for all that read it") {
    CHECK(classifier("[pipeline.embed]\ntype = \"IndexEmbeddings\"\nembeddings_size = 8\n"
                     "streams = { inputs = \"read\", outputs = \"vectors\" }\nglobals = { "
                     "vocab_size = \"size\" }\n"
                     "[pipeline.net]\ntype = \"RecurrentNeuralNetwork\"\ncell_type = \"GRU\"\n"
                     "prediction_mode = \"Last\"\nuse_lengths = true\n"
                     "streams = { inputs = \"vectors\" }\n"
                     "globals = { prediction_size = \"num_classes\" }\n"
                     "[pipeline.one]\ntype = \"ReduceTensor\"\nstreams = { inputs = "
                     "\"output_state\", outputs = \"first\" }\n"
                     "[pipeline.two]\ntype = \"ReduceTensor\"\nstreams = { inputs = "
                     "\"output_state\", outputs = \"second\" }\n") ==
          "e.toml:28:22: pipeline.one: input 'inputs' reads stream 'output_state', which nothing "
          "writes\n"
          "    fix: set pipeline.net.output_last_state = true: RecurrentNeuralNetwork has "
          "'output_state' only then");
}

TEST_CASE("sequences: a loss of classes behind an encoder of steps lacks a model") {
    const std::string encoder =
        "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\ntask = { type = \"TextFolder\", "
        "data_folder = \"texts\", vocabulary = true, batch_size = 2, globals = { word_mappings = "
        "\"word_mappings\" } }\n[pipeline.words]\ntype = \"SentenceTokenizer\"\nstreams = { outputs "
        "= \"words\" }\n[pipeline.vectors]\ntype = \"SentenceEmbeddings\"\nembeddings_size = "
        "20\noutput_lengths = true\nstreams = { inputs = \"words\", outputs = \"vectors\" "
        "}\nglobals = { word_mappings = \"word_mappings\" }\n[pipeline.encoder]\ntype = "
        "\"TransformerEncoder\"\nnum_heads = 4\nuse_lengths = true\nstreams = { inputs = "
        "\"vectors\" }\n[pipeline.loss]\ntype = \"NLLLoss\"\n";
    const auto problems = [](const std::string& text) {
        return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
    };
    const std::string sum =
        "and that reads not 'outputs', but their sum or mean, by a ReduceTensor with use_lengths = "
        "true, over the steps";
    CHECK(problems(encoder) ==
          "e.toml:19:1: pipeline.loss: input 'predictions' reads stream 'predictions', which "
          "nothing writes\n"
          "    fix: add a model whose output is 'predictions', " +
              sum);
    CHECK(problems(encoder + "streams = { predictions = \"outputs\" }\n")
              .ends_with("fix: add a model whose output pipeline.loss reads, " + sum));
    const std::string net = encoder +
                            "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nstreams = { inputs = "
                            "\"outputs\" }\nglobals = { prediction_size = \"num_classes\" }\n";
    CHECK(problems(net).ends_with(
        "fix: let pipeline.net read not 'outputs', but their sum or mean, by a ReduceTensor with "
        "use_lengths = true, over the steps"));
    CHECK(problems(ptp::test::replaced(net, "inputs = \"outputs\"", "inputs = \"means\"") +
                   "[pipeline.means]\ntype = \"ReduceTensor\"\nreduction_type = \"mean\"\n"
                   "reduction_dim = 1\nuse_lengths = true\nstreams = { inputs = \"outputs\", "
                   "outputs = \"means\" }\n") == "");
}

}  // namespace sequences_test
