// Models that share the questions of a task among themselves, and one answer from theirs: masks,
// several losses, and statistics of whole sets, in whole runs.

#include "runs/support.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace masking_test {

using ptp::test::count_of;
using ptp::test::last_value;
using ptp::test::TempFolder;

namespace {

// Two kinds of answers have a mask, a network and a loss each. What numbers have, and how answers
// are joined, stands in the documents.
constexpr const char* kPipeline = R"(
[validation]
task = { type = "SortOfCLEVR", batch_size = 7, size = 50, image_size = 15 }

[pipeline.vocabularies]
type = "GlobalVariablePublisher"
keys = ["word_answers", "number_answers"]
values = [{ yes = 0, no = 1, square = 2, circle = 3 }, { "1" = 4, "2" = 5, "3" = 6, "4" = 7, "5" = 8, "6" = 9 }]

[pipeline.word_mask]
type = "StringToMask"
streams = { strings = "labels", masks = "word_masks" }
globals = { word_mappings = "word_answers" }

[pipeline.words]
type = "FeedForwardNetwork"
streams = { inputs = "questions", predictions = "word_scores" }
globals = { input_size = "question_size", prediction_size = "num_classes" }

[pipeline.numbers]
type = "FeedForwardNetwork"
use_logsoftmax = false
streams = { inputs = "questions", predictions = "number_scores" }
globals = { input_size = "question_size", prediction_size = "num_classes" }

[pipeline.word_loss]
type = "NLLLoss"
use_masking = true
class_weights = [1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
streams = { predictions = "word_scores", masks = "word_masks", loss = "word_loss" }

[pipeline.accuracy]
type = "AccuracyStatistics"
use_prediction_distributions = false
streams = { predictions = "output_indices" }

[pipeline.scores]
type = "PrecisionRecallStatistics"
use_prediction_distributions = false
average = "all"
show_class_scores = true
show_confusion_matrix = true
streams = { predictions = "output_indices" }
globals = { word_mappings = "label_word_mappings", num_classes = "num_classes" }
)";

// The example of the document.
std::string example() {
    std::ifstream file(ptp::test::source_dir() / "docs/experiments.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto begin = text.find("[pipeline.number_mask]");
    return text.substr(begin, text.find("```", begin) - begin);
}

std::string experiment(const std::string& training) {
    return "seed = 3\n[training]\noptimizer = { type = \"SGD\", lr = 0.5 }\n"
           "terminal_conditions = { epoch_limit = 3 }\n"
           "dataloader = { shuffle = false }\n" +
           training + kPipeline + example();
}

void run(const TempFolder& folder, const std::string& name, const std::string& training,
         const std::vector<std::string>& more = {}) {
    const auto file = folder.write(name + ".toml", experiment(training));
    std::vector<std::string> arguments = {file.string(), "--run-dir",
                                          (folder.path() / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    require_success(ptp::test::run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}}));
}

double value(const TempFolder& folder, const std::string& table, const std::string& column) {
    return std::stod(last_value(folder.read(table), column));
}

constexpr const char* kBatchesOf16 =
    "task = { type = \"SortOfCLEVR\", batch_size = 16, size = 96, image_size = 15 }\n";

}  // namespace

TEST_CASE("masking: one answer is joined from two models, and measured over the whole set") {
    const TempFolder folder;
    run(folder, "run", kBatchesOf16);
    // Every sample has one target and one answer: shares of right ones are all the same.
    const double accuracy = value(folder, "run/validation.csv", "accuracy");
    CHECK(accuracy > 0.2);
    CHECK(accuracy == doctest::Approx(value(folder, "run/validation.csv", "recall_micro")));
    CHECK(accuracy == doctest::Approx(value(folder, "run/validation.csv", "precision_micro")));
    CHECK(accuracy == doctest::Approx(value(folder, "run/validation.csv", "recall_weighted")));
    const std::string log = folder.read("run/run.log");
    CHECK(count_of("scores of classes, validation", log) == 3);  // one for each epoch
    for (const char* line :
         {"scores of classes, validation, 50 targets\n  class       precision  recall  f1score  "
          "support\n  yes ",
          "scores of classes, training, 96 targets\n",
          "confusion matrix, validation, 50 targets, predictions in columns\n  target  yes  no  "
          "square  circle  1  2  3  4  5  6\n"}) {
        CAPTURE(line);
        CHECK(log.find(line) != std::string::npos);
    }
}

TEST_CASE("masking: sets have the same values in batches of any size") {
    const TempFolder folder;
    run(folder, "seven", kBatchesOf16);
    run(folder, "all", kBatchesOf16, {"--set", "validation.task.batch_size=50"});
    for (const char* column : {"word_loss", "number_loss", "total_loss"}) {
        CAPTURE(column);
        CHECK(value(folder, "seven/validation.csv", column) ==
              doctest::Approx(value(folder, "all/validation.csv", column)).epsilon(1e-6));
    }
    for (const char* column : {"accuracy", "precision_macro", "f1score_weighted"}) {
        CAPTURE(column);
        CHECK(value(folder, "seven/validation.csv", column) ==
              value(folder, "all/validation.csv", column));
    }
}

TEST_CASE("masking: two masked losses train alike in one batch of 16 and in four of 4") {
    const TempFolder folder;
    run(folder, "whole", kBatchesOf16);
    run(folder, "parts",
        std::string("accumulate = 4\n") +
            "task = { type = \"SortOfCLEVR\", batch_size = 4, size = 96, image_size = 15 }\n");
    for (const char* column : {"word_loss", "number_loss", "total_loss"}) {
        CAPTURE(column);
        CHECK(value(folder, "whole/validation.csv", column) ==
              doctest::Approx(value(folder, "parts/validation.csv", column)).epsilon(1e-5));
    }
}

}  // namespace masking_test
