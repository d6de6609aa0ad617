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

TEST_CASE("meanings: images that the task has normalized are not normalized again") {
    const auto said = [](const std::string& normalize, const std::string& inputs) {
        return ptp::test::problems_of(
            "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\ntask = { type = "
            "\"ImageFolder\", data_folder = \"d\", resize_image = [8, 8], batch_size = 4" +
                normalize +
                " }\n[pipeline.flip]\ntype = \"RandomFlip\"\nstreams = { outputs = \"flipped\" }\n"
                "[pipeline.norm]\ntype = \"Normalize\"\nmean = 0.5\nstd = 0.25\nstreams = { "
                "inputs = \"" +
                inputs +
                "\", outputs = \"even\" }\n[pipeline.flat]\ntype = \"Flatten\"\nstreams = { inputs = "
                "\"even\", outputs = \"numbers\" }\n[pipeline.net]\ntype = "
                "\"FeedForwardNetwork\"\nuse_logsoftmax = false\nstreams = { inputs = \"numbers\" }\nglobals "
                "= { prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = "
                "\"CrossEntropyLoss\"\n",
            ptp::pipeline::NeededFiles::kIgnored);
    };
    CHECK(said("", "flipped") == "");
    CHECK(said(", normalize = { mean = 0.5, std = 0.5 }", "flipped") ==
          "e.toml:8:1: warning: pipeline.norm: changes the scale of 'flipped', which the task of "
          "[training] (ImageFolder) has done already, by `normalize`\n"
          "    fix: leave normalize out of the task of each section, or leave out pipeline.norm");
}

}  // namespace limited_scores_test
