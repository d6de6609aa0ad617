// Models of sequences whose settings do not fit together, or to the sizes of streams.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace wrong_language_models_test {

namespace {

// An experiment with nothing wrong: an encoder and a decoder, a writer, a translator and attention.
constexpr const char* kGood = R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Shapes", batch_size = 4, size = 8 }
[pipeline.embeddings]
type = "IndexEmbeddings"
embeddings_size = 6
padding_index = 4
streams = { inputs = "counts", outputs = "vectors" }
globals = { vocab_size = 5 }
[pipeline.encoder]
type = "RecurrentNeuralNetwork"
prediction_mode = "None"
output_last_state = true
hidden_size = 7
streams = { inputs = "vectors", output_state = "state" }
[pipeline.decoder]
type = "RecurrentNeuralNetwork"
initial_state = "Input"
input_mode = "Autoregression_None"
max_autoregression_length = 4
hidden_size = 7
streams = { input_state = "state" }
globals = { prediction_size = 5 }
[pipeline.loss]
type = "NLLLoss"
num_targets_dims = 2
streams = { targets = "counts" }
[pipeline.perplexity]
type = "PerplexityStatistics"
streams = { targets = "counts" }
[pipeline.words]
type = "IndexEmbeddings"
embeddings_size = 5 # of words
dimensions = 1
streams = { inputs = "targets", outputs = "first" }
globals = { vocab_size = 4, embeddings_size = "word_size" }
[pipeline.writer]
type = "RecurrentNeuralNetwork"
input_mode = "Autoregression_First"
max_autoregression_length = 3
prediction_mode = "Last"
streams = { inputs = "first", predictions = "written" }
globals = { prediction_size = 5 }
[pipeline.translator]
type = "Seq2Seq"
autoregression_length = 4
streams = { inputs = "vectors", predictions = "translated" }
globals = { prediction_size = 6 }
[pipeline.reader]
type = "RecurrentNeuralNetwork"
cell_type = "GRU"
hidden_size = 3
use_output_layer = false
output_last_state = true # of GRU
streams = { inputs = "vectors", predictions = "encoded", output_state = "gru_state" }
[pipeline.attention]
type = "AttentionDecoder"
hidden_size = 3
streams = { inputs = "encoded", input_state = "gru_state", predictions = "attended" }
globals = { prediction_size = 5 }
)";

struct Change {
    const char* what;  // is wrong
    const char* from;
    const char* to;
    const char* problems;
};

std::string changed(const Change& change) {
    std::string text = kGood;
    const auto begin = text.find(change.from);
    REQUIRE(begin != std::string::npos);
    return text.replace(begin, std::string(change.from).size(), change.to);
}

constexpr Change kChanges[] = {
    {"padding that is not a word", "padding_index = 4", "padding_index = 5",
     "e.toml:7:17: pipeline.embeddings.padding_index = 5: must be less than vocab_size: vocab_size is 5"},
    {"autoregression without a number of steps", "max_autoregression_length = 4\n", "",
     "e.toml:19:14: pipeline.decoder.input_mode = \"Autoregression_None\": needs max_autoregression_length, the number of steps"},
    {"a number of steps without autoregression", "output_last_state = true\nhidden_size = 7",
     "output_last_state = true\nhidden_size = 7\nmax_autoregression_length = 3",
     "e.toml:15:29: pipeline.encoder.max_autoregression_length = 3: is the number of steps of autoregression, but input_mode is \"Dense\""},
    {"both directions of what is not there yet", "prediction_mode = \"Last\"\n",
     "prediction_mode = \"Last\"\nbidirectional = true\n",
     "e.toml:42:17: pipeline.writer.bidirectional = true: needs whole sequences: input_mode = \"Dense\""},
    {"lengths of what is not there yet", "prediction_mode = \"Last\"\nstreams = { ",
     "prediction_mode = \"Last\"\nuse_lengths = true\nstreams = { lengths = \"targets\", ",
     "e.toml:42:15: pipeline.writer.use_lengths = true: needs whole sequences: input_mode = \"Dense\""},
    {"nothing to feed back",
     "prediction_mode = \"Last\"\nstreams = { inputs = \"first\", predictions = \"written\" }\nglobals = { prediction_size = 5 }\n",
     "prediction_mode = \"None\"\noutput_last_state = true\nstreams = { inputs = \"first\", output_state = \"written\" }\n",
     "e.toml:39:14: pipeline.writer.input_mode = \"Autoregression_First\": needs predictions, which are fed back: prediction_mode is \"None\""},
    {"a network without any output",
     "use_output_layer = false\noutput_last_state = true # of GRU\nstreams = { inputs = \"vectors\", predictions = \"encoded\", output_state = \"gru_state\" }\n[pipeline.attention]\ntype = \"AttentionDecoder\"\nhidden_size = 3\nstreams = { inputs = \"encoded\", input_state = \"gru_state\", predictions = \"attended\" }\nglobals = { prediction_size = 5 }\n",
     "prediction_mode = \"None\"\nstreams = { inputs = \"vectors\" }\n",
     "e.toml:53:19: pipeline.reader.prediction_mode = \"None\": needs output_last_state = true: without it there is no output"},
    {"first inputs of another size than the outputs", "embeddings_size = 5 # of words",
     "embeddings_size = 4",
     "e.toml:39:14: pipeline.writer.input_mode = \"Autoregression_First\": needs inputs of the size of the predictions, which are fed back: input_size is 4, prediction_size is 5"},
    {"first inputs of another size than the activations",
     "prediction_mode = \"Last\"\nstreams = { inputs = \"first\", predictions = \"written\" }\nglobals = { prediction_size = 5 }\n",
     "prediction_mode = \"Last\"\nuse_output_layer = false\nstreams = { inputs = \"first\", predictions = \"written\" }\n",
     "e.toml:39:14: pipeline.writer.input_mode = \"Autoregression_First\": needs inputs of the size hidden_size, because activations are fed back: input_size is 5"},
    {"a state of another cell", "output_last_state = true\nhidden_size = 7",
     "output_last_state = true\nhidden_size = 7\ncell_type = \"GRU\"",
     "e.toml:17:1: pipeline.decoder: takes 4 dimensions as 'input_state', but stream 'state' has 3\n    'encoder' (RecurrentNeuralNetwork) writes [B, 1, 7] as 'output_state'\n    'decoder' (RecurrentNeuralNetwork) reads [B, 2, 1, 7] as 'input_state'\n    fix: set pipeline.encoder.cell_type = \"LSTM\""},
    {"a state that is not put out", "output_last_state = true # of GRU\n", "",
     "e.toml:54:58: pipeline.reader.streams.output_state: warning: has no effect: RecurrentNeuralNetwork has this port only with output_last_state and with cell_type != LSTM\n"
     "e.toml:58:47: pipeline.attention: input 'input_state' reads stream 'gru_state', which nothing writes\n    fix: set pipeline.reader.output_last_state = true: RecurrentNeuralNetwork has 'output_state' only then"},
    {"an encoder of the usual cell before an attention", "cell_type = \"GRU\"\n", "",
     "e.toml:55:1: pipeline.attention: takes 3 dimensions as 'input_state', but stream 'gru_state' has 4\n    'reader' (RecurrentNeuralNetwork) writes [B, 2, 1, 3] as 'output_state'\n    'attention' (AttentionDecoder) reads [B, 1, 3] as 'input_state'\n    fix: set pipeline.reader.cell_type = \"GRU\" (or \"RNN_TANH\" or \"RNN_RELU\")"},
    {"a translation of another size than its source", "prediction_size = 6 }",
     "prediction_size = 7 }",
     "e.toml:44:1: pipeline.translator: needs inputs of the size of the predictions, which are fed back: input_size is 6, prediction_size is 7"},
    {"an attention without any output",
     "type = \"AttentionDecoder\"\nhidden_size = 3\nstreams = { inputs = \"encoded\", input_state = \"gru_state\", predictions = \"attended\" }",
     "type = \"AttentionDecoder\"\nprediction_mode = \"None\"\nhidden_size = 3\nstreams = { inputs = \"encoded\", input_state = \"gru_state\" }",
     "e.toml:58:19: pipeline.attention.prediction_mode = \"None\": needs output_last_state = true: without it there is no output"},
    {"an attention that feeds words back without scores of them",
     "hidden_size = 3\nstreams = { inputs = \"encoded\", input_state = \"gru_state\", predictions = \"attended\" }\nglobals = { prediction_size = 5 }\n",
     "hidden_size = 3\nuse_output_layer = false\nstreams = { inputs = \"encoded\", input_state = \"gru_state\", predictions = \"attended\" }\n",
     "e.toml:59:20: pipeline.attention.use_output_layer = false: must be true: only with attention = \"Positions\" no words are fed back"},
    {"vectors of words for outputs", "type = \"AttentionDecoder\"\n", "type = \"AttentionDecoder\"\nattention = \"Positions\"\nembeddings_size = 7\n", "e.toml:59:19: pipeline.attention.embeddings_size = 7: is for words that are fed back; with attention = \"Positions\" outputs are"},
    {"right words for outputs", "type = \"AttentionDecoder\"\n",
     "type = \"AttentionDecoder\"\nattention = \"Positions\"\nteacher_forcing_rate = 0.0\n",
     "e.toml:56:1: pipeline.attention: takes 2 dimensions as 'targets', but stream 'targets' has 1\n    the task of [training] (Shapes) writes [B] as 'targets'\n    'attention' (AttentionDecoder) reads [B, 10] as 'targets'\n    fix: insert a ReshapeTensor before pipeline.attention\ne.toml:59:24: pipeline.attention.teacher_forcing_rate = 0.0: is for words that are fed back; with attention = \"Positions\" outputs are"},
    {"a search among outputs", "type = \"AttentionDecoder\"\n",
     "type = \"AttentionDecoder\"\nattention = \"Positions\"\nbeam_width = 2\n",
     "e.toml:59:14: pipeline.attention.beam_width = 2: is for words that are fed back; with attention = \"Positions\" outputs are"},
    {"positions of an attention without", "type = \"AttentionDecoder\"\n",
     "type = \"AttentionDecoder\"\nmax_source_length = 12\n",
     "e.toml:58:21: pipeline.attention.max_source_length = 12: is for attention = \"Positions\" alone"},
};

}  // namespace

TEST_CASE("wrong language models: an encoder of both directions before an attention") {
    const Change both = {"", "cell_type = \"GRU\"\n", "cell_type = \"GRU\"\nbidirectional = true\n",
                         ""};
    CHECK(
        ptp::test::problems_of(changed(both))
            .find(
                "pipeline.attention: stream 'gru_state' has another shape than 'input_state' takes\n"
                "    'reader' (RecurrentNeuralNetwork) writes [B, 2, 3] as 'output_state'\n"
                "    'attention' (AttentionDecoder) reads [B, 1, 3] as 'input_state'\n"
                "    2: computed by 'reader' (RecurrentNeuralNetwork)\n"
                "    fix: set pipeline.reader.bidirectional = false") != std::string::npos);
}

TEST_CASE("wrong language models: nothing is wrong with the good ones but that no loss has them") {
    std::istringstream problems(ptp::test::problems_of(kGood));
    for (std::string line; std::getline(problems, line);) {
        CAPTURE(line);
        CHECK((line.starts_with("    fix: ") || line.find(": warning: ") != std::string::npos));
    }
}

TEST_CASE("wrong language models: what does not fit is refused where it is written") {
    for (const Change& change : kChanges) {
        CAPTURE(change.what);
        CHECK(ptp::test::problems_of(changed(change)) == change.problems);
    }
}

}  // namespace wrong_language_models_test
