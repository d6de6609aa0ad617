// Whole trainings in several processes with what is not in every experiment: several losses, frozen
// components, augmentation, compression, sharded optimizers, float64.

#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/together.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace together_options_test {

using namespace ptp::test;

namespace {

// 48 samples in batches of 5: the last of an epoch has 3, so that of four processes one has none.
const std::vector<std::string> kUneven = {"--set", "training.task.batch_size=5",
                                          "--set", "validation.task.batch_size=5",
                                          "--set", "pipeline.net.dropout_rate=0"};

// The net reads a frozen one, and a second loss trains another one from the third epoch on; both
// read pictures that are flipped at random.
constexpr const char* kTwoLosses = R"([pipeline.flip]
type = "RandomFlip"
vertical = 0.5
streams = { outputs = "flipped" }
[pipeline.flat]
type = "ReshapeTensor"
input_dims = [-1, 1, 2, 2]
output_dims = [-1, 4]
streams = { inputs = "flipped", outputs = "flat" }
globals = { output_size = "flat_size" }
[pipeline.frozen]
type = "FeedForwardNetwork"
freeze = true
hidden_sizes = [8]
use_logsoftmax = false
streams = { inputs = "flat", predictions = "encoded" }
globals = { prediction_size = "num_classes" }
[pipeline.side]
type = "FeedForwardNetwork"
freeze = { until_epoch = 2 }
hidden_sizes = [8]
streams = { inputs = "flat", predictions = "side_predictions" }
globals = { prediction_size = "num_classes" }
[pipeline.side_loss]
type = "NLLLoss"
streams = { predictions = "side_predictions", loss = "side_loss" }
)";

std::string descent(int epochs) {
    return "optimizer = { type = \"SGD\", lr = 0.05 }\n"
           "terminal_conditions = { epoch_limit = " +
           std::to_string(epochs) + ", loss_stop_threshold = 0 }\n";
}

std::vector<std::string> joined(std::vector<std::string> left,
                                const std::vector<std::string>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

void check_same_files(const ExperimentFolder& folder, const std::string& left,
                      const std::string& right, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        CAPTURE(file);
        CHECK((folder.read(left + file) == folder.read(right + file)));
    }
}

// How many sums of gradients a process has begun, by its --profile.
int sums_in(const std::string& output) {
    std::smatch found;
    const std::regex line("\nsums of gradients +[0-9.]+ +[0-9.]+% +([0-9]+) ");
    return std::regex_search(output, found, line) ? std::stoi(found[1]) : 0;
}

// The experiment with a net of float64, of the plugin of ranked.cpp, in place of its own.
void write_precise(const ExperimentFolder& folder, const std::string& training) {
    const auto file = folder.write({.training = training});
    std::string text = folder.read("experiment.toml");
    const std::string net =
        "type = \"FeedForwardNetwork\"\nhidden_sizes = [16]\ndropout_rate = 0.1\n";
    REQUIRE(text.find(net) != std::string::npos);
    text.replace(text.find(net), net.size(), "type = \"Precise\"\n");
    std::ofstream(file) << text;
}

}  // namespace

TEST_CASE("together: two losses, frozen components and augmentation have the losses of one") {
    const ExperimentFolder folder(
        {.training = descent(4), .pipeline = kTwoLosses, .source = "encoded"});
    REQUIRE(folder.run("one", kUneven).status == 0);
    const std::string alone = folder.read("one/training.csv");
    REQUIRE(column_of(alone, "loss").size() == 40);
    for (const int count : {2, 4}) {
        CAPTURE(count);
        const std::string name = std::to_string(count);
        check_done(run_together(folder, name, count, kUneven),
                   (folder.path() / "experiment.toml").string() +
                       ":38:10: warning: pipeline.frozen.freeze: nothing loads weights into "
                       "FeedForwardNetwork, so that those of its creation stay, which are usually "
                       "random\n   38 | freeze = true\n      |          ^~~~\n"
                       "    fix: write load = \"RUN\" in pipeline.frozen, or leave freeze out\n");
        const std::string table = folder.read(name + "/training.csv");
        CHECK(largest_difference(column_of(table, "loss"), column_of(alone, "loss")) < 1e-6);
        CHECK(column_of(table, "accuracy") == column_of(alone, "accuracy"));
    }
}

TEST_CASE("together: in float64 1, 2 and 4 processes agree to 1e-12 over 100 steps") {
    const ExperimentFolder folder;
    write_precise(folder, descent(10));
    const std::vector<std::string> options = {
        "--set",     "training.task.batch_size=5",
        "--set",     "validation.task.batch_size=5",
        "--plugins", ptp::test::ranked_build("plain").parent_path().string()};
    REQUIRE(folder.run("one", options).status == 0);
    const std::vector<double> alone = column_of(folder.read("one/training.csv"), "loss");
    REQUIRE(alone.size() == 100);
    CHECK(alone.back() < alone.front());
    for (const int count : {2, 4}) {
        CAPTURE(count);
        const std::string name = std::to_string(count);
        check_done(run_together(folder, name, count, options));
        CHECK(largest_difference(column_of(folder.read(name + "/training.csv"), "loss"), alone) <
              1e-12);
    }
}

TEST_CASE("together: gradients sent as bfloat16 train to losses within a hundredth") {
    const ExperimentFolder folder({.training = descent(5)});
    check_done(run_together(folder, "whole", 2, kUneven));
    check_done(run_together(folder, "rounded", 2,
                            joined(kUneven, {"--set", "distributed.compression=\"bf16\""})));
    const std::vector<double> whole = column_of(folder.read("whole/training.csv"), "loss");
    const std::vector<double> rounded = column_of(folder.read("rounded/training.csv"), "loss");
    CHECK(largest_difference(rounded, whole) < 1e-2);
    CHECK(largest_difference(rounded, whole) > 0);
    CHECK(rounded.back() < 0.9 * rounded.front());
}

TEST_CASE("together: a sharded optimizer resumes with the bits of an uninterrupted run") {
    const ExperimentFolder folder;
    const auto write = [&folder](int epochs) {
        folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.01 }\n"
                                  "terminal_conditions = { epoch_limit = " +
                                  std::to_string(epochs) + " }\n"});
    };
    const std::vector<std::string> sharded = {"--set", "distributed.sharded_optimizer=true"};
    write(2);
    check_done(run_together(folder, "whole", 2, sharded));
    write(1);
    check_done(run_together(folder, "parts", 2, sharded));
    check_done(run_together(2, {"resume", folder.run_folder("parts"), "--set",
                                "training.terminal_conditions.epoch_limit=2"}));
    check_same_files(
        folder, "whole", "parts",
        {"/training.csv", "/validation.csv", "/test.csv", "/checkpoints/last/weights.safetensors",
         "/checkpoints/last/training.safetensors"});
}

TEST_CASE("together: accumulated gradients are sent once a step") {
    const ExperimentFolder folder(
        {.training = descent(2), .has_validation = false, .has_test = false});
    int each = 0;  // 12 episodes
    for (const int accumulate : {1, 3}) {
        CAPTURE(accumulate);
        const std::string count = std::to_string(accumulate);
        const auto ranks =
            run_together(folder, count, 2, {"--profile", "--set", "training.accumulate=" + count});
        check_done(ranks);
        const int sums = sums_in(ranks[0].output);
        CHECK(sums > 0);
        each = accumulate == 1 ? sums : each;
        CHECK(sums * accumulate == each);
    }
}

}  // namespace together_options_test
