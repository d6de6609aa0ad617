// The judge of a training whose better values are the worse ones, or are not stated.

#include "experiments/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace wrong_judges_test {

namespace {

std::string problems(const std::string& judge) {
    return ptp::test::problems_of(
        "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\njudge = " + judge +
            R"(
task = { type = "CsvTable", file = "t.csv", features = ["a"], label = "b", batch_size = 16 }
[validation]
task = { type = "CsvTable", file = "v.csv", features = ["a"], label = "b", batch_size = 16 }
[pipeline.classifier]
type = "FeedForwardNetwork"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
[pipeline.accuracy]
type = "AccuracyStatistics"
[pipeline.size]
type = "BatchSizeStatistics"
[pipeline.calibration]
type = "CalibrationStatistics"
)",
        ptp::pipeline::NeededFiles::kIgnored);
}

}  // namespace

TEST_CASE("wrong judges: the better values are those that the statistic declares") {
    CHECK(
        problems("{ statistic = \"accuracy\", better = \"smaller\" }") ==
        "e.toml:4:23: training.judge.better: warning: \"smaller\", but of accuracy the larger value "
        "is the better one: the worst weights would count as the best\n"
        "    fix: write better = \"larger\"");
    CHECK(problems("{ statistic = \"accuracy\", better = \"larger\" }") == "");
    CHECK(problems("{ statistic = \"batch_size\", better = \"larger\" }") == "");
    // The name has no known word: the component declares it.
    CHECK(
        problems("{ statistic = \"ece\", better = \"larger\" }") ==
        "e.toml:4:23: training.judge.better: warning: \"larger\", but of ece the smaller value is the "
        "better one: the worst weights would count as the best\n"
        "    fix: write better = \"smaller\"");
    CHECK(
        problems("{ statistic = \"loss\", better = \"larger\" }") ==
        "e.toml:4:23: training.judge.better: warning: \"larger\", but of loss the smaller value is "
        "the better one: the worst weights would count as the best\n"
        "    fix: write better = \"smaller\"");
    // A wrong word is one error, without a warning that follows from it.
    CHECK(problems("{ statistic = \"accuracy\", better = \"max\" }") ==
          "e.toml:4:44: training.judge.better = \"max\": must be one of smaller, larger\n"
          "    fix: write better = \"larger\"");
    // Without `better`: the declared values, or the question.
    CHECK(problems("{ statistic = \"ece\" }") ==
          "e.toml:4:23: training.judge.better: required, but missing; of ece the smaller value is "
          "the better one\n"
          "    fix: write better = \"smaller\"");
    CHECK(problems("{ statistic = \"batch_size\" }") ==
          "e.toml:4:23: training.judge.better: required, but missing: which values of batch_size "
          "are better is not known\n"
          "    fix: write better = \"larger\" if the larger ones are, else \"smaller\"");
}

TEST_CASE("wrong judges: a statistic that nothing measures is added with its component") {
    const std::string text =
        "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\njudge = { statistic = "
        "\"accuracy\" }\ntask = { type = \"CsvTable\", file = \"t.csv\", features = [\"a\"], label "
        "= \"b\", batch_size = 16 }\n[validation]\ntask = { type = \"CsvTable\", file = \"v.csv\", "
        "features = [\"a\"], label = \"b\", batch_size = 16 }\n[pipeline.classifier]\ntype = "
        "\"FeedForwardNetwork\"\nglobals = { prediction_size = \"num_classes\" "
        "}\n[pipeline.loss]\ntype = \"NLLLoss\"\n";
    CHECK(
        ptp::test::problems_of(text, ptp::pipeline::NeededFiles::kIgnored) ==
        "e.toml:4:23: training.judge.statistic = \"accuracy\": [validation] has no statistic of "
        "this name; known: loss\n"
        "    fix: add [pipeline.accuracy] with type = \"AccuracyStatistics\", and write statistic = "
        "\"accuracy\" and better = \"larger\"");
    // Names of other programs, and statistics whose component has another name.
    struct Case {
        const char* given;
        const char* fix;
    };
    for (const Case& c : {
             Case{"val_f1",
                  "add [pipeline.f1score] with type = \"PrecisionRecallStatistics\", and write "
                  "statistic = \"f1score\" and better = \"larger\""},
             Case{"ece",
                  "add [pipeline.ece] with type = \"CalibrationStatistics\", and write statistic "
                  "= \"ece\" and better = \"smaller\""},
             Case{"roc_auc",
                  "add [pipeline.auc] with type = \"ROCStatistics\" and mode = \"multiclass\", and "
                  "write statistic = \"auc\" and better = \"larger\""},
         }) {
        std::string other = text;
        other.replace(other.find("accuracy"), std::string("accuracy").size(), c.given);
        CHECK(ptp::test::problems_of(other, ptp::pipeline::NeededFiles::kIgnored) ==
              std::string("e.toml:4:23: training.judge.statistic = \"") + c.given +
                  "\": [validation] has no statistic of this name; known: loss\n    fix: " + c.fix);
    }
}

TEST_CASE("wrong judges: the fix has the better values of the statistic, and what suits the loss") {
    const auto fix = [](const std::string& statistic, const std::string& rest) {
        const std::string all = ptp::test::problems_of(
            "seed = 1\n[training]\noptimizer = { type = \"Adam\" }\njudge = { statistic = \"" +
                statistic + "\", better = \"larger\" }\n" + R"(
task = { type = "Table", file = "t.csv", features = "*", label = "b", multi_label = true, batch_size = 16 }
[validation]
task = { type = "Table", file = "v.csv", features = "*", label = "b", multi_label = true, batch_size = 16 }
[pipeline.net]
type = "FeedForwardNetwork"
use_logsoftmax = false
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "BCEWithLogitsLoss"
)" + rest,
            ptp::pipeline::NeededFiles::kIgnored);
        const std::size_t at = all.find("fix: ");
        return at == all.npos ? std::string() : all.substr(at + 5);
    };
    CHECK(fix("hamming", "") ==
          "add [pipeline.hamming] with type = \"MultiLabelStatistics\", and write statistic = "
          "\"hamming_loss\" and better = \"smaller\"");
    CHECK(fix("f1", "") ==
          "add [pipeline.f1score] with type = \"MultiLabelStatistics\", and write statistic = "
          "\"f1score_micro\"");
    CHECK(fix("accuracy", "") ==
          "add [pipeline.accuracy] with type = \"MultiLabelStatistics\", and write statistic = "
          "\"exact_match\"");
    CHECK(fix("roc_auc", "") ==
          "add [pipeline.auc] with type = \"ROCStatistics\" and mode = \"multilabel\", and write "
          "statistic = \"auc\"");
    CHECK(fix("val_mse", "") == "");  // of numbers
    CHECK(fix("wer", "") == "");
    const std::string measured = "[pipeline.ml]\ntype = \"MultiLabelStatistics\"\n";
    CHECK(fix("hamming", measured) ==
          "write statistic = \"hamming_loss\" and better = \"smaller\"");
    CHECK(fix("f1", measured) == "write statistic = \"f1score_macro\"");
}

TEST_CASE("wrong judges: values that are typed are fixed where they are typed") {
    const std::string check = "check good.toml --over judged.toml";
    const auto said = ptp::test::ptprun(check + " --set training.judge.better=smaller");
    CHECK(said.code == 0);
    CHECK(said.err ==
          "--set: warning: training.judge.better: \"smaller\", but of accuracy the larger value is "
          "the better one: the worst weights would count as the best\n"
          "      | training.judge.better=smaller\n"
          "      |                       ^~~~~~~\n"
          "    fix: --set 'training.judge.better=\"larger\"'\n");
    CHECK(ptp::test::ptprun(check + " --set 'training.judge.better=\"larger\"'").err == "");
    // The typed table is typed again with its statistic.
    const std::string fix =
        "--set 'training.judge={ statistic = \"ece\", better = \"smaller\" }' --set 'pipeline.ece={ "
        "type = \"CalibrationStatistics\" }'";
    CHECK(ptp::test::ptprun(check + " --set 'training.judge={statistic=\"ece\"}'")
              .err.find("\n    fix: " + fix + "\n") != std::string::npos);
    CHECK(ptp::test::ptprun(check + " " + fix).err == "");
}

}  // namespace wrong_judges_test
