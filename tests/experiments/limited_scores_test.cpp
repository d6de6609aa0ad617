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
    // Between layers they are usual.
    CHECK(problems("\"ReLU\", { type = \"Linear\", out = \"num_classes\" }", "CrossEntropyLoss") ==
          "");
    CHECK(problems("\"Sigmoid\", { type = \"Linear\", out = \"num_classes\" }, \"LogSoftmax\"",
                   "NLLLoss") == "");
}

}  // namespace limited_scores_test
