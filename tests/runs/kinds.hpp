// Rows of two kinds, and an experiment that learns to tell them.
#pragma once

#include <string>

namespace ptp::test {

inline std::string kinds() {
    std::string text = "x,color,kind\n";
    for (int i = 0; i < 40; ++i) {
        text +=
            std::to_string(i) + (i % 3 == 0 ? ",red," : ",blue,") + (i < 20 ? "small\n" : "big\n");
    }
    return text;
}

// Reads rows.csv. `more` stands after the last key of the table of the training's task.
inline std::string kinds_experiment(int epochs, const std::string& more = "") {
    return R"(name = "kinds"
seed = 3
[training]
optimizer = { type = "Adam", lr = 0.05 }
terminal_conditions = { epoch_limit = )" +
           std::to_string(epochs) + R"( }
[training.task]
type = "Table"
file = "rows.csv"
features = ["x", "color"]
label = "kind"
batch_size = 8
)" + more + R"([pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [8]
globals = { input_size = "num_features", prediction_size = "num_classes" }
[pipeline.nll]
type = "NLLLoss"
)";
}

}  // namespace ptp::test
