// Layers and losses for raw scores behind what limits these, and everything that is reported of
// them.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace limited_scores_test {

TEST_CASE("limited scores: those that a ReLU or a sigmoid limits are warned of") {
    const auto problems = [](const std::string& limit, const std::string& loss) {
        return ptp::test::problems_of(
            ptp::test::experiment_of_layers(
                "layers = [\"Flatten\", { type = \"Linear\", out = \"num_classes\" }, " + limit +
                "]") +
            "[pipeline.loss]\ntype = \"" + loss + "\"\n");
    };
    const std::string cut =
        "numbers from 0 on: what is below 0 becomes 0, and learns nothing there";
    const std::string close =
        "probabilities: with scores so close to each other no class is likely, of 10 classes none "
        "by more than 0.24";
    CHECK(problems("\"ReLU\", { type = \"Dropout\", p = 0.5 }", "CrossEntropyLoss") ==
          "e.toml:10:1: warning: pipeline.loss: takes raw scores, of both signs, and layer 2 of "
          "'net' (ReLU) writes " +
              cut + "\n    fix: leave out pipeline.net.layers[2], \"ReLU\"");
    CHECK(problems("\"ReLU\", \"LogSoftmax\"", "NLLLoss") ==
          "e.toml:9:72: warning: pipeline.net.layers[3]: takes raw scores, of both signs, and "
          "layer 2 of 'net' (ReLU) writes " +
              cut + "\n    fix: leave out pipeline.net.layers[2], \"ReLU\"");
    CHECK(problems("\"Sigmoid\", \"LogSoftmax\"", "NLLLoss") ==
          "e.toml:9:75: warning: pipeline.net.layers[3]: takes raw scores, of both signs, and "
          "layer 2 of 'net' (Sigmoid) writes " +
              close + "\n    fix: leave out pipeline.net.layers[2], \"Sigmoid\"");
    CHECK(
        problems("\"Tanh\", { type = \"Dropout\", p = 0.5 }", "CrossEntropyLoss") ==
        "e.toml:10:1: warning: pipeline.loss: takes raw scores, of both signs, and layer 2 of "
        "'net' (Tanh) writes numbers from -1 to 1: with scores so close to each other no class is "
        "likely, of 10 classes none by more than 0.46\n"
        "    fix: leave out pipeline.net.layers[2], \"Tanh\"");
    CHECK(problems("\"Tanh\", \"LogSoftmax\"", "NLLLoss") ==
          "e.toml:9:72: warning: pipeline.net.layers[3]: takes raw scores, of both signs, and "
          "layer 2 of 'net' (Tanh) writes numbers from -1 to 1: with scores so close to each other "
          "no class is likely, of 10 classes none by more than 0.46\n"
          "    fix: leave out pipeline.net.layers[2], \"Tanh\"");
    // Between layers they are usual.
    CHECK(problems("\"ReLU\", { type = \"Linear\", out = \"num_classes\" }", "CrossEntropyLoss") ==
          "");
    CHECK(problems("\"Sigmoid\", { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"",
                   "NLLLoss") == "");
}

TEST_CASE("limited scores: those of a transform before the layers are warned of, too") {
    const std::string text =
        ptp::test::experiment_of_layers("layers = [\"LogSoftmax\"]\nstreams.inputs = \"cut\"");
    const std::string net =
        "[pipeline.encoder]\ntype = \"LayerStack\"\nlayers = [\"Flatten\", { type "
        "= \"Linear\", out = \"num_classes\" }]\nstreams = { outputs = "
        "\"scores\" }\n[pipeline.cut]\ntype = \"NonLinearity\"\nstreams = { "
        "inputs = \"scores\", outputs = \"cut\" }\n";
    const std::string given =
        ptp::test::replaced(text, "streams = { outputs = \"predictions\" }\n", "");
    CHECK(
        ptp::test::problems_of(
            ptp::test::replaced(given, "streams.inputs = \"cut\"",
                                "streams = { inputs = \"cut\", outputs = \"predictions\" }") +
            net + "[pipeline.loss]\ntype = \"NLLLoss\"\n") ==
        "e.toml:8:11: warning: pipeline.net.layers[0]: takes raw scores, of both signs, and 'cut' "
        "(NonLinearity) writes numbers from 0 on: what is below 0 becomes 0, and learns nothing "
        "there\n    fix: let 'cut' (NonLinearity) write raw scores");
}

TEST_CASE("limited scores: losses over logits of single classes are for both signs, too") {
    const auto said_of = [](const std::string& limit, const std::string& loss) {
        return ptp::test::problems_of(
            ptp::test::experiment_of_layers(
                "layers = [\"Flatten\", { type = \"Linear\", out = 1 }, \"" + limit + "\"]") +
            "[pipeline.loss]\ntype = \"" + loss + "\"\nstreams = { targets = \"outputs\" }\n");
    };
    const std::string said = said_of("ReLU", "BCEWithLogitsLoss");
    CHECK_MESSAGE(
        said.find("layer 2 of 'net' (ReLU) writes numbers from 0 on") != std::string::npos, said);
    const std::string of_tanh = said_of("Tanh", "BCEWithLogitsLoss");
    CHECK_MESSAGE(
        of_tanh.find("layer 2 of 'net' (Tanh) writes numbers from -1 to 1: no probability "
                     "is above 0.74, or below 0.26") != std::string::npos,
        of_tanh);
    // A value may lie there.
    const std::string of_values = said_of("Tanh", "MSELoss");
    CHECK_MESSAGE(of_values.find("Tanh") == std::string::npos, of_values);
}

}  // namespace limited_scores_test
