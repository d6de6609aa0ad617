// The scores that `ptprun predict` shows: probabilities, whatever kind of numbers a stream has.

#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace predict_scores_test {

using namespace ptp::test;

namespace {

// Replaces the only occurrence of a part.
void replace(std::string& text, const std::string& part, const std::string& by) {
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    text.replace(at, part.size(), by);
}

std::vector<double> numbers_in(const std::string& csv, const std::string& name) {
    std::vector<double> numbers;
    for (const std::string& cell : column(rows_of(csv), name)) {
        numbers.push_back(std::stod(cell));
    }
    return numbers;
}

void check_close(const std::vector<double>& numbers, const std::vector<double>& expected) {
    REQUIRE(numbers.size() == expected.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(numbers[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
}

// A layer of probabilities that only predictions have, behind a stream.
std::string layer(const std::string& type, const std::string& streams, const std::string& more) {
    return "[pipeline.made]\ntype = \"LayerStack\"\nlayers = [\"" + type + "\"]\nstreams = { " +
           streams + " }\nphases = [\"predict\"]\n" + more;
}

}  // namespace

TEST_CASE("scores: the probabilities of a softmax that only predictions have are shown as such") {
    const ExperimentFolder folder(
        {.pipeline = layer("Softmax", "inputs = \"predictions\", outputs = \"shares\"", "")});
    REQUIRE(folder.run("run").status == 0);
    const auto shown = [&](const std::string& stream) {
        return predict({folder.run_folder("run"), "--data", "test", "--quiet", "--top-k", "10",
                        "--stream", stream})
            .output;
    };
    const std::string shares = shown("shares");
    const std::string predictions = shown("predictions");
    std::vector<double> sums(16);
    for (int k = 1; k <= 10; ++k) {
        const std::string name = k == 1 ? "score" : "score_" + std::to_string(k);
        const std::vector<double> scores = numbers_in(shares, name);
        // A softmax of log-probabilities has the probabilities.
        check_close(scores, numbers_in(predictions, name));
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += scores.at(i);
        }
    }
    check_close(sums, std::vector<double>(16, 1));
    CHECK(column(rows_of(shares), "predicted") == column(rows_of(predictions), "predicted"));
}

TEST_CASE("scores: a softmax that passes raw scores through in training is not applied twice") {
    const ExperimentFolder folder(
        {.pipeline = layer("Softmax", "inputs = \"raw\", outputs = \"predictions\"",
                           "pass_through = true\n")});
    std::string text = folder.read("experiment.toml");
    replace(text, "dropout_rate = 0.1\nstreams = {",
            "dropout_rate = 0.1\nuse_logsoftmax = false\nstreams = { predictions = \"raw\",");
    replace(text, "\"NLLLoss\"", "\"CrossEntropyLoss\"");
    std::ofstream(folder.path() / "experiment.toml") << text;
    REQUIRE(folder.run("run").errors == "");
    const auto scores = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {folder.run_folder("run"), "--data", "test", "--quiet"};
        words.insert(words.end(), more.begin(), more.end());
        return numbers_in(predict(words).output, "score");
    };
    check_close(scores({}), scores({"--stream", "raw"}));
}

TEST_CASE("scores: a sigmoid that passes raw scores through in training is not applied twice") {
    const auto shown = [](const std::string& stream, const std::string& more) {
        const TempFolder folder;
        const auto table =
            folder.write("a.csv", "x,y,tags\n1,2,red;round\n3,4,\n5,6,round\n").string();
        train_run(folder, training(1) +
                              "type = \"Table\"\nbatch_size = 2\nfeatures = [\"x\", \"y\"]\n"
                              "label = \"tags\"\nmulti_label = true\nfile = \"" +
                              table +
                              "\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
                              "use_logsoftmax = false\nstreams = { predictions = \"" +
                              stream + "\" }\nglobals = { prediction_size = \"num_classes\" }\n" +
                              more + "[pipeline.loss]\ntype = \"BCEWithLogitsLoss\"\n");
        const std::string run = (folder.path() / "run").string();
        return predict({run, "--data", "training", "--quiet"}).output;
    };
    // What turns raw scores into probabilities is there without the layer, too.
    const std::string made = shown(
        "raw",
        layer("Sigmoid", "inputs = \"raw\", outputs = \"predictions\"", "pass_through = true\n"));
    const std::string plain = shown("predictions", "");
    REQUIRE(header_of(made).starts_with("index,predicted,score_red,score_round"));
    for (const char* score : {"score_red", "score_round"}) {
        check_close(numbers_in(made, score), numbers_in(plain, score));
    }
}

}  // namespace predict_scores_test
