// From classes to numbers and back: the fix of a loss has all that changes with its targets.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace other_targets_test {

namespace {

using ptp::test::replaced;

std::string problems(const std::string& text) {
    return ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored);
}

std::string task(const std::string& section, const std::string& column) {
    return "[" + section +
           ".task]\ntype = \"Table\"\nbatch_size = 4\nfile = \"t.csv\"\nsplit = { shares = [0.8, 0.2] "
           "}\npart = \"" +
           section + "\"\nfeatures = \"*\"\n" + column + "\n";
}

std::string classes() {
    return "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n" +
           task("training", "label = \"y\"") + task("validation", "label = \"y\"") +
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nuse_logsoftmax = false\nglobals = { "
           "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = "
           "\"CrossEntropyLoss\"\n[pipeline.quality]\ntype = \"AccuracyStatistics\"\n";
}

std::string numbers() {
    return "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\n" +
           task("training", "values = [\"y\"]") + task("validation", "values = [\"y\"]") +
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nuse_logsoftmax = false\nglobals = { "
           "prediction_size = 1 }\n[pipeline.loss]\ntype = \"HuberLoss\"\nstreams = { targets = "
           "\"values\" }\n[pipeline.quality]\ntype = \"RegressionStatistics\"\nstreams = { targets = "
           "\"values\" }\n";
}

}  // namespace

TEST_CASE("other targets: from classes to numbers, the fix is the whole experiment") {
    CHECK(problems(classes()) == "");
    CHECK(
        problems(replaced(classes(), "CrossEntropyLoss", "HuberLoss")) ==
        "e.toml:24:1: pipeline.loss: input 'targets' takes floating numbers, but stream 'targets' "
        "carries integers (written by the task of [training] (Table)); streams of floating numbers: inputs and predictions\n"
        "    fix: to compare classes, set pipeline.loss.type = \"CrossEntropyLoss\" (or FocalLoss "
        "or NLLLoss); to compare numbers, if 'y' has them, write values = [\"y\"] in place of "
        "label in training.task and validation.task, and write streams = { targets = \"values\" } "
        "in pipeline.loss, and set pipeline.quality.type = \"RegressionStatistics\", and write "
        "streams = { targets = \"values\" } in pipeline.quality, and write globals = { "
        "prediction_size = 1 } in pipeline.net");
    CHECK(problems(numbers()) == "");  // which is what it says
}

TEST_CASE("other targets: a sampler that needs classes becomes one that needs none") {
    const std::string drawn =
        "[training]\nsampler = { type = \"StratifiedSplitSampler\", share = [0.0, 0.8] }\n";
    const std::string text = replaced(classes(), "[training]\n", drawn);
    CHECK(problems(text) == "");
    CHECK(problems(replaced(text, "CrossEntropyLoss", "HuberLoss"))
              .ends_with("and write globals = { prediction_size = 1 } in pipeline.net, and set "
                         "training.sampler.type = \"RandomSplitSampler\""));
    const std::string other = replaced(numbers(), "[training]\n", drawn);
    CHECK(
        problems(other) ==
        "e.toml:3:11: training.sampler.label_stream = \"targets\": neither the task of [training] "
        "(Table) nor a transform behind it that treats each sample by itself has a stream of this "
        "name with an integer or a string for each sample\n"
        "    fix: numbers to be predicted have no classes: set training.sampler.type = "
        "\"RandomSplitSampler\"; to predict classes, set label in training.task, and set label in "
        "validation.task: Table has 'targets' only then");
    CHECK(problems(replaced(other, "StratifiedSplitSampler", "RandomSplitSampler")) == "");
}

TEST_CASE("other targets: from numbers to classes, the fix is the whole experiment") {
    CHECK(
        problems(replaced(numbers(), "HuberLoss", "CrossEntropyLoss")) ==
        "e.toml:26:23: pipeline.loss: input 'targets' takes integers, but stream 'values' carries "
        "floating numbers (written by the task of [training] (Table))\n"
        "    fix: to compare classes, if 'y' has them, write label = \"y\" in place of values in "
        "training.task and validation.task, and leave 'targets' out of its streams in "
        "pipeline.loss, and set pipeline.quality.type = \"AccuracyStatistics\", and leave "
        "'targets' out of its streams in pipeline.quality, and write globals = { prediction_size = "
        "\"num_classes\" } in pipeline.net; to compare numbers, set pipeline.loss.type = "
        "\"HuberLoss\" (or L1Loss or MSELoss)");
}

TEST_CASE("other targets: of a 1 for each class a loss and a statistic of answers are named") {
    const std::string label = "label = \"y\"";
    const std::string lists =
        replaced(replaced(classes(), label, "label =  \"y\"\nmulti_label = true"), label,
                 "label =  \"y\"\nmulti_label = true");
    const auto wrong = [](const char* line, const char* name, const char* type) {
        return std::string("e.toml:") + line + ":1: pipeline." + name +
               ": input 'targets' takes integers, but stream 'targets' carries floating numbers "
               "(written by the task of [training] (Table))\n    fix: set pipeline." +
               name + ".type = \"" + type + "\"";
    };
    CHECK(problems(lists) == wrong("26", "loss", "BCEWithLogitsLoss") + "\n" +
                                 wrong("28", "quality", "MultiLabelStatistics"));
    CHECK(problems(replaced(replaced(lists, "CrossEntropyLoss", "BCEWithLogitsLoss"),
                            "AccuracyStatistics", "MultiLabelStatistics")) == "");
}

TEST_CASE("other targets: a second reader of the same targets repeats its own change alone") {
    const std::string text = replaced(replaced(classes(), "CrossEntropyLoss", "MSELoss"),
                                      "AccuracyStatistics", "RegressionStatistics");
    CHECK(problems(text).ends_with(
        "e.toml:26:1: pipeline.quality: input 'targets' takes floating numbers, but stream 'targets' "
        "carries integers (written by the task of [training] (Table)); streams of floating numbers: inputs, predictions and loss\n"
        "    fix: to compare classes, set pipeline.quality.type = \"AccuracyStatistics\" (or "
        "CalibrationStatistics or PrecisionRecallStatistics); to compare numbers, if 'y' has them, "
        "write values = [\"y\"] in place of label in training.task and validation.task, and write "
        "streams = { targets = \"values\" } in pipeline.quality"));
}

TEST_CASE("other targets: a column of another setting is named in each section") {
    const std::string text = replaced(replaced(numbers(), "values = [\"y\"]", "label = \"y\""),
                                      "values = [\"y\"]", "label = \"y\"");
    CHECK(
        problems(text) ==
        "e.toml:26:23: pipeline.loss: input 'targets' reads stream 'values', which nothing writes\n"
        "    fix: set values in training.task, and set values in validation.task: Table has "
        "'values' only then");
}

TEST_CASE("other targets: predictions without a model ask for one, and for no other stream") {
    std::string text = classes();
    const std::size_t begin = text.find("[pipeline.net]");
    text.erase(begin, text.find("[pipeline.loss]") - begin);
    CHECK(
        problems(text) ==
        "e.toml:20:1: pipeline.loss: input 'predictions' reads stream 'predictions', which nothing "
        "writes\n"
        "    fix: add a model whose output is 'predictions'\n"
        "e.toml:22:1: pipeline.quality: input 'predictions' reads stream 'predictions', which "
        "nothing writes\n"
        "    fix: add a model whose output is 'predictions'");
}

TEST_CASE("other targets: a task in a table of another name keeps its tables") {
    CHECK(problems(replaced(classes(), "[training.task]", "[training.dataset]"))
              .find("e.toml:4:11: training.dataset: unknown key; did you mean 'task'?\n"
                    "    fix: write [training.task] in place of [training.dataset]") !=
          std::string::npos);
}

}  // namespace other_targets_test
