// Two classes with one score: what is said on the way from each loss, followed as it is written.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace yes_or_no_test {

namespace {

using ptp::test::replaced;

// Without the data, which are not there.
std::string problems(const std::string& text) {
    return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
}

std::string experiment(const std::string& loss) {
    return "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\ntask = { type = \"CsvTable\", "
           "file = \"t.csv\", features = [\"a\"], label = \"b\", batch_size = 16 }\n"
           "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Linear\", out = 1 }]\nstreams = { outputs = \"predictions\" }\n"
           "[pipeline.loss]\ntype = \"" +
           loss + "\"\n";
}

const std::string kValidation =
    "[validation]\ntask = { type = \"CsvTable\", file = \"v.csv\", features = [\"a\"], label = "
    "\"b\", batch_size = 16 }\n";

}  // namespace

TEST_CASE("yes or no: a loss of classes with one score states the loss and the setting for it") {
    std::string text = experiment("CrossEntropyLoss");
    CHECK(
        problems(text) ==
        "e.toml:9:1: pipeline.loss: compares the scores of classes: with a single one the loss is "
        "always 0: classes is 1\n"
        "    fix: for a score of each class, set pipeline.net.layers[0].out_features = "
        "\"num_classes\"; for two classes with one score, set pipeline.loss.type = "
        "\"BCEWithLogitsLoss\", and set training.task.binary = true");
    CHECK(problems(replaced(text, "out = 1", "out = \"num_classes\"")) == "");
    text = replaced(text, "CrossEntropyLoss", "BCEWithLogitsLoss");
    CHECK(problems(replaced(text, "batch_size", "binary = true, batch_size")) == "");
}

TEST_CASE("yes or no: the fix has the switch to raw scores, and one cause is stated once") {
    std::string text = replaced(
        experiment("NLLLoss"),
        "\"LayerStack\"\nlayers = [{ type = \"Linear\", out = 1 }]\nstreams = { outputs = \"predictions\" }",
        "\"FeedForwardNetwork\"\nglobals = { prediction_size = 1 }");
    CHECK(
        problems(text) ==
        "e.toml:8:1: pipeline.loss: compares the scores of classes: with a single one the loss is "
        "always 0: classes is 1\n"
        "    fix: for a score of each class, write globals = { prediction_size = \"num_classes\" } "
        "in pipeline.net; for two classes with one score, set pipeline.loss.type = "
        "\"BCEWithLogitsLoss\", and set training.task.binary = true, and set "
        "pipeline.net.use_logsoftmax = false");
    text = replaced(text, "NLLLoss", "BCEWithLogitsLoss");
    text = replaced(text, "batch_size", "binary = true, batch_size");
    CHECK(problems(text) ==
          "e.toml:8:1: pipeline.loss: stream 'predictions' carries log-probabilities, which "
          "BCEWithLogitsLoss does not take\n"
          "    'net' (FeedForwardNetwork) writes log-probabilities as 'predictions'\n"
          "    'loss' (BCEWithLogitsLoss) takes raw scores or numbers of any range as "
          "'predictions'\n"
          "    fix: set pipeline.net.use_logsoftmax = false");
    CHECK(problems(replaced(text, "globals", "use_logsoftmax = false\nglobals")) == "");
}

TEST_CASE("yes or no: a loss of yes or no beside classes states the setting of each task") {
    const std::string text = experiment("BCEWithLogitsLoss");
    const std::string wrong =
        "e.toml:9:1: pipeline.loss: input 'targets' takes floating numbers, but stream 'targets' "
        "carries integers (written by the task of [training] (CsvTable)); streams of floating numbers: inputs and predictions\n"
        "    fix: for two classes with one score, set training.task.binary = true";
    const std::string classes =
        "; for scores of classes, set pipeline.loss.type = \"CrossEntropyLoss\" (or FocalLoss or "
        "NLLLoss)";
    CHECK(problems(text) == wrong + classes);
    CHECK(problems(text + kValidation) ==
          wrong + ", and set validation.task.binary = true" + classes);
    CHECK(problems(replaced(text + replaced(kValidation, "batch_size", "binary = true, batch_size"),
                            "batch_size", "binary = true, batch_size")) == "");
}

TEST_CASE("yes or no: the fix has all that changes from scores of classes") {
    const std::string classes =
        replaced(experiment("CrossEntropyLoss"), "out = 1", "out = \"num_classes\"") +
        "[pipeline.accuracy]\ntype = \"AccuracyStatistics\"\n[pipeline.calibration]\ntype = "
        "\"CalibrationStatistics\"\n" +
        kValidation;
    CHECK(problems(classes) == "");
    const std::string wrong = replaced(classes, "CrossEntropyLoss", "BCEWithLogitsLoss");
    CHECK(
        problems(wrong) ==
        "e.toml:9:1: pipeline.loss: input 'targets' takes floating numbers, but stream 'targets' "
        "carries integers (written by the task of [training] (CsvTable)); streams of floating numbers: inputs and predictions\n"
        "    fix: for two classes with one score, set training.task.binary = true, and set "
        "validation.task.binary = true, and set pipeline.accuracy.type = \"MultiLabelStatistics\", "
        "and set pipeline.calibration.enabled = false, and set pipeline.net.layers[0].out_features = 1; "
        "for scores of classes, set pipeline.loss.type = \"CrossEntropyLoss\" (or FocalLoss or "
        "NLLLoss)");
    std::string fixed = wrong;
    for (int i = 0; i < 2; ++i) {
        fixed = replaced(fixed, "label = \"b\", batch_size",
                         "label = \"b\", binary = true, batch_size");
    }
    fixed = replaced(fixed, "AccuracyStatistics", "MultiLabelStatistics");
    fixed =
        replaced(fixed, "\"CalibrationStatistics\"", "\"CalibrationStatistics\"\nenabled = false");
    CHECK(problems(replaced(fixed, "out = \"num_classes\"", "out = 1")) == "");
}

TEST_CASE("yes or no: the fix of a statistic has the loss, too") {
    const std::string text =
        replaced(experiment("CrossEntropyLoss"), "out = 1", "out = \"num_classes\"") +
        "[pipeline.accuracy]\ntype = \"MultiLabelStatistics\"\n";
    CHECK(
        problems(text) ==
        "e.toml:11:1: pipeline.accuracy: input 'targets' takes floating numbers, but stream "
        "'targets' carries integers (written by the task of [training] (CsvTable)); streams of "
        "floating numbers: inputs, predictions and loss\n"
        "    fix: for two classes with one score, set training.task.binary = true, and set "
        "pipeline.loss.type = \"BCEWithLogitsLoss\", and set pipeline.net.layers[0].out_features = "
        "1; for scores of classes, set pipeline.accuracy.type = \"AccuracyStatistics\" (or "
        "CalibrationStatistics or PrecisionRecallStatistics)");
}

TEST_CASE("yes or no: a statistic with a mode for classes states the same as the loss") {
    const std::string roc = "[pipeline.roc]\ntype = \"ROCStatistics\"\nmode = \"multilabel\"\n";
    const std::string said = problems(experiment("BCEWithLogitsLoss") + roc);
    CHECK(said.substr(said.find("pipeline.roc: ")) ==
          "pipeline.roc: input 'targets' takes floating numbers, but stream 'targets' carries "
          "integers (written by the task of [training] (CsvTable)); streams of floating numbers: "
          "inputs, predictions and loss\n"
          "    fix: for two classes with one score, set training.task.binary = true; for scores of "
          "classes, set pipeline.roc.mode = \"multiclass\"");
    CHECK(problems(
              replaced(experiment("BCEWithLogitsLoss"), "batch_size", "binary = true, batch_size") +
              roc) == "");
}

TEST_CASE("yes or no: raw scores that a statistic takes for numbers are warned of") {
    const std::string binary =
        replaced(experiment("BCEWithLogitsLoss"), "batch_size", "binary = true, batch_size") +
        "[pipeline.quality]\ntype = \"RegressionStatistics\"\n";
    CHECK(problems(binary) ==
          "e.toml:11:1: warning: pipeline.quality: takes 'predictions' for predicted numbers, and "
          "for 'loss' (BCEWithLogitsLoss) they are raw scores: how far these are from the targets "
          "says little\n"
          "    fix: set pipeline.quality.type = \"MultiLabelStatistics\"");
    CHECK(problems(replaced(binary, "RegressionStatistics", "MultiLabelStatistics")) == "");
    CHECK(problems(replaced(binary, "BCEWithLogitsLoss", "MSELoss")) == "");
}

TEST_CASE("yes or no: predicted numbers that a statistic takes for raw scores are warned of") {
    const std::string binary =
        replaced(experiment("BCEWithLogitsLoss"), "batch_size", "binary = true, batch_size") +
        "[pipeline.quality]\ntype = \"MultiLabelStatistics\"\n";
    for (const std::string loss : {"MSELoss", "HuberLoss", "L1Loss"}) {
        CHECK(problems(replaced(binary, "BCEWithLogitsLoss", loss)) ==
              "e.toml:11:1: warning: pipeline.quality: takes 'predictions' for raw scores, and for "
              "'loss' (" +
                  loss +
                  ") they are predicted numbers: any above 0 is a score for yes\n"
                  "    fix: set pipeline.loss.type = \"BCEWithLogitsLoss\"");
    }
    // A second loss takes the same numbers for scores.
    CHECK(problems(binary +
                   "[pipeline.distance]\ntype = \"MSELoss\"\nstreams = { loss = \"far\" }\n") ==
          "");
    CHECK(problems(binary + "use_probabilities = true\n") ==
          "e.toml:11:1: pipeline.quality: stream 'predictions' carries raw scores, which "
          "MultiLabelStatistics does not take\n"
          "    layer 0 of 'net' (Linear) writes raw scores as 'outputs'\n"
          "    'quality' (MultiLabelStatistics) takes probabilities or numbers of any range as "
          "'predictions'\n"
          "    fix: set pipeline.quality.use_probabilities = false");
}

TEST_CASE("yes or no: a statistic of classes beside a loss of yes or no becomes one of answers") {
    const std::string text =
        replaced(experiment("BCEWithLogitsLoss"), "batch_size", "binary = true, batch_size") +
        "[pipeline.accuracy]\ntype = \"AccuracyStatistics\"\n";
    CHECK(problems(text) ==
          "e.toml:11:1: pipeline.accuracy: input 'targets' takes integers, but stream 'targets' "
          "carries floating numbers (written by the task of [training] (CsvTable))\n"
          "    fix: set pipeline.accuracy.type = \"MultiLabelStatistics\"");
    CHECK(problems(replaced(text, "AccuracyStatistics", "MultiLabelStatistics")) == "");
}

TEST_CASE("yes or no: a loss of classes beside answers is refused for its targets alone") {
    const std::string targets =
        "e.toml:9:1: pipeline.loss: input 'targets' takes integers, but stream 'targets' carries "
        "floating numbers (written by the task of [training] (CsvTable))\n"
        "    fix: set pipeline.loss.type = \"BCEWithLogitsLoss\"";
    for (const std::string loss : {"CrossEntropyLoss", "FocalLoss", "NLLLoss"}) {
        CHECK(problems(replaced(experiment(loss), "batch_size", "binary = true, batch_size")) ==
              targets);
    }
}

TEST_CASE("yes or no: the area under the curve of one score has its mode") {
    const std::string text =
        replaced(experiment("BCEWithLogitsLoss"), "batch_size", "binary = true, batch_size") +
        "[pipeline.curve]\ntype = \"ROCStatistics\"\n";
    CHECK(problems(text) ==
          "e.toml:11:1: pipeline.curve: input 'targets' takes integers, but stream 'targets' "
          "carries floating numbers (written by the task of [training] (CsvTable))\n"
          "    fix: set pipeline.curve.mode = \"multilabel\"");
    CHECK(problems(text + "mode = \"multilabel\"\n") == "");
}

TEST_CASE("yes or no: a score for each class beside targets of one is named with its setting") {
    const std::string binary =
        replaced(experiment("BCEWithLogitsLoss"), "batch_size", "binary = true, batch_size");
    const std::string what =
        "e.toml:4:8: training.task: its two classes have one score, and here num_classes scores are "
        "made for them\n    fix: ";
    CHECK(problems(replaced(binary, "out = 1", "out = \"num_classes\"")) ==
          what + "set pipeline.net.layers[0].out_features = 1");
    CHECK(
        problems(replaced(
            replaced(binary, "type = \"LayerStack\"",
                     "type = \"FeedForwardNetwork\"\nuse_logsoftmax = false\nglobals = { "
                     "prediction_size = \"num_classes\" }"),
            "layers = [{ type = \"Linear\", out = 1 }]\nstreams = { outputs = \"predictions\" }\n",
            "")) == what + "write globals = { prediction_size = 1 } in pipeline.net");
}

}  // namespace yes_or_no_test
