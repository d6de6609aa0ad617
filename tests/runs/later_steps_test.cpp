// Language models that see the next word, which they are to predict.

#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace later_steps_test {

using namespace ptp::test;

namespace {

// A training on texts of three words, up to the components.
std::string words_in(const TempFolder& folder) {
    folder.write("wikitext-2/wiki.train.tokens", "a b c a\nb c a b a c\n");
    return "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
           "terminal_conditions = { epoch_limit = 1 }\n"
           "task = { type = \"WikiTextLanguageModeling\", batch_size = 2, sentence_length = 3, "
           "vocabulary = true, globals = { word_mappings = \"words\" }, data_folder = \"" +
           folder.path().string() + "\" }\n";
}

// A language model with this component between the vectors of words and the scores.
std::string experiment(const TempFolder& folder, const std::string& model) {
    return words_in(folder) + R"([pipeline.in]
type = "SentenceIndexer"
streams = { inputs = "sources", outputs = "read" }
globals = { word_mappings = "words", vocabulary_size = "size" }
[pipeline.out]
type = "SentenceIndexer"
streams = { inputs = "targets", outputs = "answers" }
globals = { word_mappings = "words" }
[pipeline.embed]
type = "IndexEmbeddings"
embeddings_size = 4
streams = { inputs = "read", outputs = "vectors" }
globals = { vocab_size = "size" }
)" + model +
           R"([pipeline.loss]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "answers" }
)";
}

std::string recurrent(const std::string& setting) {
    return "[pipeline.net]\ntype = \"RecurrentNeuralNetwork\"\nhidden_size = 4\n" + setting +
           "streams = { inputs = \"vectors\" }\nglobals = { prediction_size = \"size\" }\n";
}

std::string head() {
    return "[pipeline.head]\ntype = \"FeedForwardNetwork\"\ndimensions = 3\nstreams = { inputs = "
           "\"encoded\" }\nglobals = { prediction_size = \"size\" }\n";
}

std::string encoder(const std::string& setting) {
    return "[pipeline.net]\ntype = \"TransformerEncoder\"\nnum_heads = 2\n" + setting +
           "streams = { inputs = \"vectors\", outputs = \"encoded\" }\n" + head();
}

std::string layers(const std::string& setting) {
    return "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"GRU\", hidden = 4" +
           setting +
           " }, { type = \"Linear\", out = \"size\" }, { type = \"LogSoftmax\", dim = -1 }]\n"
           "streams = { inputs = \"vectors\", outputs = \"predictions\" }\n";
}

std::string attention(const std::string& type, const std::string& settings) {
    return "[pipeline.net]\ntype = \"" + type + "\"\n" + settings +
           "streams = { inputs = \"vectors\", outputs = \"encoded\" }\n" + head();
}

std::string attention_layers(const std::string& setting) {
    return "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"MultiheadAttention\", "
           "num_heads = 2" +
           setting +
           " }, { type = \"Linear\", out = \"size\" }, { type = \"LogSoftmax\", dim = -1 }]\n"
           "streams = { inputs = \"vectors\", outputs = \"predictions\" }\n";
}

std::string warning(const std::string& node, const std::string& fix) {
    return "warning: " + node +
           " lets each step depend on later ones, and each target of 'loss' (NLLLoss) is the next "
           "step of 'read': the model sees what it is to predict\n    fix: set pipeline.net" +
           fix + "\n";
}

std::string checked(const std::string& model) {
    const TempFolder folder;
    const std::string file = folder.write("e.toml", experiment(folder, model)).string();
    return ptprun({"check", "--data", file}).errors;
}

}  // namespace

TEST_CASE("later steps: a language model that sees the next word is warned of before it trains") {
    CHECK(checked(recurrent("bidirectional = true\n")) ==
          warning("'net' (RecurrentNeuralNetwork)", ".bidirectional = false"));
    CHECK(checked(encoder("")) == warning("'net' (TransformerEncoder)", ".is_causal = true"));
    CHECK(checked(layers(", bidirectional = true")) ==
          warning("layer 0 of 'net' (GRU)", ".layers[0].bidirectional = false"));
    CHECK(checked(attention("TransformerEncoderLayer", "nhead = 2\n")) ==
          warning("'net' (TransformerEncoderLayer)", ".is_causal = true"));
    CHECK(checked(attention("MultiheadAttention", "num_heads = 2\n")) ==
          warning("'net' (MultiheadAttention)", ".is_causal = true"));
    CHECK(checked(attention_layers("")) ==
          warning("layer 0 of 'net' (MultiheadAttention)", ".layers[0].is_causal = true"));
}

TEST_CASE("later steps: one that reads forwards alone is not warned of") {
    for (const std::string& model :
         {recurrent(""), encoder("is_causal = true\n"), layers(""),
          attention("TransformerEncoderLayer", "nhead = 2\nis_causal = true\n"),
          attention("MultiheadAttention", "num_heads = 2\nis_causal = true\n"),
          attention_layers(", is_causal = true")}) {
        CHECK(checked(model) == "");
    }
}

TEST_CASE("later steps: the training warns of it, too, and of targets that are read") {
    const TempFolder folder;
    const auto trained = [&](const std::string& text) {
        std::filesystem::remove_all(folder.path() / "run");
        return ptprun({folder.write("e.toml", text).string(), "--quiet", "--run-dir",
                       (folder.path() / "run").string()})
            .errors;
    };
    const std::string both_ways = experiment(folder, recurrent("bidirectional = true\n"));
    CHECK(trained(both_ways) ==
          warning("'net' (RecurrentNeuralNetwork)", ".bidirectional = false"));
    // Targets that are the words themselves: no bottleneck is between them, as in an autoencoder.
    std::string same = both_ways;
    same.replace(same.find("inputs = \"targets\""), 18, "inputs = \"sources\"");
    CHECK(
        trained(same) ==
        "warning: each target of 'loss' (NLLLoss) is the same step of 'read', which the "
        "predictions are computed from: the model sees what it is to predict\n    fix: let 'loss' "
        "(NLLLoss) read the targets of the task, such as the next words\n");
}

namespace {

// Reports of a decoder of sentences, which are the targets of its loss, too.
std::string decoded(const std::string& model, const std::string& padding = "") {
    const TempFolder folder;
    const std::string text = words_in(folder) + R"([pipeline.in]
type = "SentenceIndexer"
streams = { inputs = "sources", outputs = "read" }
globals = { word_mappings = "words" }
[pipeline.out]
type = "SentenceIndexer"
streams = { inputs = "targets", outputs = "answers" }
globals = { word_mappings = "words", vocabulary_size = "size" }
)" + padding + model +
                             "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\nnum_targets_dims = 2\n"
                             "streams = { targets = \"answers\" }\n";
    const std::string file = folder.write("e.toml", text).string();
    std::string errors = ptprun({"check", file}).errors;
    for (std::size_t at = errors.find(file); at != std::string::npos; at = errors.find(file)) {
        errors.replace(at, file.size(), "FILE");
    }
    return errors;
}

std::string layers_of(const std::string& inner, const std::string& stream) {
    return "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Embedding\", "
           "num_embeddings = \"size\", embedding_dim = 4 }, " +
           inner + "{ type = \"Linear\", out = \"size\" }]\nstreams = { inputs = \"" + stream +
           "\", outputs = \"predictions\" }\n";
}

}  // namespace

TEST_CASE("later steps: a decoder that reads its own targets is warned of") {
    const std::string warning =
        "FILE:14:1: warning: pipeline.net: reads 'answers', and what is computed of it is compared "
        "with the same 'answers' by 'loss' (CrossEntropyLoss): the model sees what it is to "
        "predict\n   14 | [pipeline.net]\n      | ^~~~~~~~~~~~~~\n    fix: read another stream in "
        "pipeline.net, such as the inputs, or give the targets to a decoder with teacher forcing\n";
    for (const char* inner :
         {"", "{ type = \"GRU\", hidden = 4 }, ",
          "{ type = \"LSTM\", hidden = 4, bidirectional = true }, ",
          "{ type = \"MultiheadAttention\", num_heads = 2 }, ",
          "{ type = \"MultiheadAttention\", num_heads = 2, is_causal = true }, "}) {
        CAPTURE(inner);
        CHECK(decoded(layers_of(inner, "answers")).ends_with(warning));
        CHECK(decoded(layers_of(inner, "read")) == "");
    }
}

TEST_CASE("later steps: targets for teacher forcing, and behind a bottleneck, are not warned of") {
    const std::string embed =
        "[pipeline.embed]\ntype = \"IndexEmbeddings\"\nembeddings_size = 4\nstreams = { inputs = "
        "\"answers\", outputs = \"vectors\" }\nglobals = { vocab_size = \"size\" }\n";
    const std::string encoder =
        "[pipeline.encoder]\ntype = \"RecurrentNeuralNetwork\"\ncell_type = \"GRU\"\n"
        "hidden_size = 4\nuse_output_layer = false\noutput_last_state = true\nstreams = { inputs = "
        "\"vectors\", predictions = \"encoded\", output_state = \"state\" }\n";
    const std::string decoder =
        "[pipeline.net]\ntype = \"AttentionDecoder\"\nhidden_size = 4\nembeddings_size = 4\n"
        "autoregression_length = 3\nuse_logsoftmax = false\nteacher_forcing_rate = 0.5\nstreams = { "
        "inputs = \"encoded\", input_state = \"state\", targets = \"answers\" }\n"
        "globals = { prediction_size = \"size\" }\n";
    const auto is_silent = [](const std::string& model) {
        const std::string said = decoded(model, "fixed_padding = 3\n");
        CAPTURE(said);
        CHECK(said.find("error") == std::string::npos);
        CHECK(said.find("sees what it is to predict") == std::string::npos);
    };
    is_silent(embed + encoder + decoder);
    is_silent(
        layers_of("\"Flatten\", { type = \"Linear\", out = 2 }, { type = \"Linear\", out = 12 "
                  "}, { type = \"Unflatten\", unflattened_size = [3, 4] }, ",
                  "answers"));
}

TEST_CASE("later steps: a convolution that takes the steps of filled sentences for channels") {
    const std::string conv = "{ type = \"Conv1d\", out = 3, kernel = 2, padding_same = true }, ";
    const auto warned = [](const std::string& layers) {
        const std::string said = decoded(layers_of(layers, "answers"), "fixed_padding = 3\n");
        const auto at = said.find("pipeline.net.layers[1]: takes");
        return at == std::string::npos ? "" : said.substr(at, said.find('\n', at) - at);
    };
    CHECK(warned(conv) ==
          "pipeline.net.layers[1]: takes the steps of 'answers' for channels, and moves along the "
          "numbers of each step: it reads [B, channels, length], and gets [B, length, size]");
    const std::string right = "{ type = \"Conv1d\", out = 4, kernel = 2, padding_same = true }, ";
    CHECK(warned("\"Transpose\", " + right + "\"Transpose\", ") == "");
}

}  // namespace later_steps_test
