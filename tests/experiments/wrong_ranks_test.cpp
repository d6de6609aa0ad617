// Layers that take another number of dimensions than they get, that name the size of their input,
// or that write a score more or less than there are classes; the fix of each is typed.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace wrong_ranks_test {

using ptp::test::problems_of;
using ptp::test::replaced;

namespace {

constexpr const char* kEnd =
    "\"Flatten\", { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"";

std::string problems_of_list(const std::string& layers) {
    return problems_of(ptp::test::experiment_of_layers("layers = [" + layers + "]") +
                       "[pipeline.loss]\ntype = \"NLLLoss\"\n[pipeline.accuracy]\n"
                       "type = \"AccuracyStatistics\"\n");
}

// Checks what is said of a list, and that nothing is wrong with the list that the fix makes.
void check(const std::string& layers, const std::string& problems, const std::string& fixed) {
    CAPTURE(layers);
    CHECK(problems_of_list(layers) == problems);
    CHECK(problems_of_list(fixed) == "");
}

}  // namespace

TEST_CASE("wrong ranks: a layer of images after Flatten is one error, not one for each reader") {
    const std::string conv = "{ type = \"Conv2d\", out = 8, kernel = 5 }";
    const std::string linear = "{ type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"";
    check(
        conv + ", \"Flatten\", \"BatchNorm2d\", " + linear,
        "e.toml:9:64: pipeline.net.layers[2]: takes 4 dimensions as 'inputs', but stream 'net.1' "
        "has 2\n"
        "    layer 1 of 'net' (Flatten) writes [B, 28800] as 'outputs'\n"
        "    layer 2 of 'net' (BatchNorm2d) reads [B, num_features, height, width] as 'inputs'\n"
        "    fix: write \"BatchNorm1d\" in place of \"BatchNorm2d\" as pipeline.net.layers[2], or "
        "move pipeline.net.layers[2] before pipeline.net.layers[1]",
        conv + ", \"Flatten\", \"BatchNorm1d\", " + linear);
    CHECK(problems_of_list(conv + ", \"BatchNorm2d\", \"Flatten\", " + linear) == "");
    check(conv + ", \"Flatten\", { type = \"AvgPool2d\", kernel = 2 }, \"ReLU\", " + linear,
          "e.toml:9:64: pipeline.net.layers[2]: takes 4 dimensions as 'inputs', but stream 'net.1' "
          "has 2\n"
          "    layer 1 of 'net' (Flatten) writes [B, 28800] as 'outputs'\n"
          "    layer 2 of 'net' (AvgPool2d) reads [B, channels, height, width] as 'inputs'\n"
          "    fix: move pipeline.net.layers[2] before pipeline.net.layers[1]",
          conv + ", { type = \"AvgPool2d\", kernel = 2 }, \"Flatten\", \"ReLU\", " + linear);
}

TEST_CASE("wrong ranks: a layer of sequences or vectors for images names that of images") {
    const std::string end = kEnd;
    check("{ type = \"Conv1d\", out = 8, kernel = 5 }, " + end,
          "e.toml:9:11: pipeline.net.layers[0]: takes 3 dimensions as 'inputs', but stream "
          "'inputs' has 4\n"
          "    the task of [training] (Shapes) writes [B, 3, image_height = 64, image_width = 64] "
          "as 'inputs'\n"
          "    layer 0 of 'net' (Conv1d) reads [B, in_channels, length] as 'inputs'\n"
          "    fix: write \"Conv2d\" in place of \"Conv1d\" as pipeline.net.layers[0]",
          "{ type = \"Conv2d\", out = 8, kernel = 5 }, " + end);
    check("\"BatchNorm1d\", " + end,
          "e.toml:9:11: pipeline.net.layers[0]: takes vectors [B, C] or sequences [B, C, L]: the "
          "input is [B, 3, image_height = 64, image_width = 64]\n"
          "    fix: write \"BatchNorm2d\" in place of \"BatchNorm1d\" as pipeline.net.layers[0]",
          "\"BatchNorm2d\", " + end);
}

TEST_CASE("wrong ranks: the size of an input is left out, whatever it is called") {
    const std::string end = kEnd;
    for (const char* name : {"in", "in_channels", "in_features", "input_size"}) {
        check(std::string("{ type = \"Conv2d\", ") + name + " = 3, out = 8, kernel = 5 }, " + end,
              std::string("e.toml:9:30: pipeline.net.layers[0].") + name +
                  ": unknown setting: the size of the input is known\n    fix: leave it out",
              "{ type = \"Conv2d\", out = 8, kernel = 5 }, " + end);
    }
    CHECK(
        problems_of(
            replaced(ptp::test::good_experiment(), "hidden_sizes = [128]", "in = \"images\"")) ==
        "e.toml:34:1: pipeline.classifier.in: unknown setting; known: hidden_sizes, dropout_rate, "
        "use_logsoftmax, dimensions");
}

TEST_CASE("wrong ranks: a last layer that is wider than the classes warns as a narrower one") {
    const auto list = [](const std::string& out) {
        return "\"Flatten\", { type = \"Linear\", out = " + out + " }, \"LogSoftmax\"";
    };
    for (const auto& [out, text] : {std::pair("5", "5 is more"), std::pair("3", "3 is less")}) {
        check(list(out),
              std::string("e.toml:9:47: pipeline.net.layers[1].out_features: warning: ") + text +
                  " than the 4 classes of the targets of 'loss' (NLLLoss): num_classes is 4, "
                  "published by the task of [training] (Shapes)\n"
                  "    fix: set pipeline.net.layers[1].out_features = 4",
              list("4"));
    }
}

TEST_CASE(
    "wrong ranks: streams to be joined get as many dimensions, and what reads them is right") {
    const auto joined = [](const std::string& layers, const std::string& images,
                           const std::string& mode) {
        return problems_of(
            replaced(ptp::test::good_experiment(), "[pipeline.classifier]\n",
                     "[pipeline.cnn]\ntype = \"LayerStack\"\nlayers = [" + layers +
                         "]\nstreams = { outputs = \"vectors\" }\n"
                         "[pipeline.steps]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 784]\n"
                         "output_dims = [-1, 28, 28]\nstreams = { inputs = \"features\", outputs = "
                         "\"rows\" }\nglobals = { output_size = \"row_sizes\" }\n"
                         "[pipeline.lstm]\ntype = \"RecurrentNeuralNetwork\"\nhidden_size = 6\n" +
                         mode +
                         "streams = { inputs = \"rows\", predictions = \"seen\" }\n"
                         "globals = { prediction_size = 6 }\n"
                         "[pipeline.join]\ntype = \"ConcatenateTensor\"\ninput_streams = [\"" +
                         images +
                         "\", \"seen\"]\nstreams = { outputs = \"both\" }\n"
                         "globals = { output_size = \"both_size\" }\n"
                         "[pipeline.second]\ntype = \"FeedForwardNetwork\"\n"
                         "streams = { inputs = \"both\", predictions = \"others\" }\n"
                         "globals = { prediction_size = \"num_classes\" }\n"
                         "[pipeline.other_loss]\ntype = \"NLLLoss\"\n"
                         "streams = { predictions = \"others\", loss = \"other\" }\n"
                         "statistics = { loss_weight = \"other_weight\" }\n"
                         "[pipeline.classifier]\n"));
    };
    const std::string linear = "{ type = \"Linear\", out = 8 }";
    const std::string vectors = "\"Flatten\", " + linear;
    const std::string last = "prediction_mode = \"Last\"\n";
    CHECK(joined(vectors, "vectors", last) == "");
    CHECK(joined(linear, "vectors", last)
              .ends_with("\n    fix: insert \"Flatten\" before pipeline.cnn.layers[0]"));
    CHECK(joined(linear, "vectors", last).find("pipeline.second:") == std::string::npos);
    CHECK(joined(vectors, "vectors", "")
              .ends_with("\n    fix: set pipeline.lstm.prediction_mode = \"Last\""));
    CHECK(joined(vectors, "inputs", last)
              .ends_with("\n    fix: name 'vectors' in place of 'inputs' in "
                         "pipeline.join.input_streams"));
}

}  // namespace wrong_ranks_test
