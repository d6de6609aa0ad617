// Two components that are one model.

#include "runs/live_run.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace share_test {

using namespace ptp::test;

namespace {

constexpr const char* kLast = "checkpoints/last/weights.safetensors";

std::string training(const std::string& rate) {
    return "optimizer = { type = \"SGD\", lr = " + rate +
           " }\nterminal_conditions = { epoch_limit = 2 }\n";
}

// A second loss, of what the network computes from the same features.
constexpr const char* kTwice =
    "[pipeline.again]\nshare = \"net\"\nstreams = { inputs = \"features\", predictions = \"same\" "
    "}\n[pipeline.nll_again]\ntype = \"NLLLoss\"\n"
    "streams = { predictions = \"same\", loss = \"loss_again\" }\n";

std::string weights(const ExperimentFolder& folder, const std::string& name,
                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"--set", "pipeline.net.dropout_rate=0.0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult result = folder.run(name, arguments);
    CHECK(without_excerpts(result.errors) == "");
    REQUIRE(result.status == 0);
    return folder.read(name + "/" + kLast);
}

}  // namespace

TEST_CASE("share: two components are one set of weights, which learns from both") {
    const ExperimentFolder folder({.training = training("0.5")});
    const std::string once = weights(folder, "once");
    // The gradients add up to twice those of one, and half of the rate makes the same step of them.
    folder.write({.training = training("0.25"), .pipeline = kTwice});
    CHECK(weights(folder, "twice") == once);
}

TEST_CASE("share: a resumed run continues with the same bits") {
    const ExperimentFolder folder({.training = training("0.1"), .pipeline = kTwice});
    const std::string whole = weights(folder, "whole");
    const auto first =
        weights(folder, "halves", {"--set", "training.terminal_conditions.epoch_limit=1"});
    CHECK(first != whole);
    const ProcessResult resumed =
        ptp::test::run_program("ptprun", {"resume", folder.run_folder("halves"), "--set",
                                          "training.terminal_conditions.epoch_limit=2"});
    CHECK(without_excerpts(resumed.errors) == "");
    REQUIRE(resumed.status == 0);
    CHECK(folder.read(std::string("halves/") + kLast) == whole);
}

TEST_CASE("share: a loss that is shared is one of its own with the same settings") {
    const ExperimentFolder folder({.pipeline = "[pipeline.again]\nshare = \"nll\"\n"
                                               "streams = { loss = \"loss_again\" }\n"});
    const ProcessResult result = folder.run("check");
    CHECK(without_excerpts(result.errors) == "");
    CHECK(result.status == 0);
}

TEST_CASE("share: a publisher cannot be shared") {
    const ExperimentFolder folder({.pipeline =
                                       "[pipeline.seven]\ntype = \"GlobalVariablePublisher\"\n"
                                       "keys = \"seven\"\nvalues = 7\n"
                                       "[pipeline.again]\nshare = \"seven\"\n"});
    const ProcessResult result = folder.run("check");
    CHECK(result.status == 2);
    CHECK(without_folder(without_excerpts(result.errors), folder.path()) ==
          "FOLDER/experiment.toml:35:1: error: pipeline.again: publishes global 'seven', which "
          "'seven' (GlobalVariablePublisher) publishes already; write globals = { seven = "
          "\"again_seven\" }\n"
          "FOLDER/experiment.toml:36:9: error: pipeline.again.share: 'seven' is a publisher and "
          "has nothing to share: models share their weights, and transforms, losses and statistics "
          "their settings\n"
          "    fix: write its type and settings in place of share; in a group, weights = \"own\" "
          "in the use with map, or leave out its share\n"
          "2 errors\n");
}

TEST_CASE("share: a model is not shared by streams of other sizes") {
    const ExperimentFolder folder(
        {.pipeline = "[pipeline.slice]\ntype = \"SliceTensor\"\ndim = 1\nend = 2\n"
                     "streams = { inputs = \"features\", outputs = \"half\" }\n"
                     "[pipeline.again]\nshare = \"net\"\n"
                     "streams = { inputs = \"half\", predictions = \"same\" }\n"});
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 2);
    CHECK(
        without_folder(without_excerpts(result.errors), folder.path()) ==
        "FOLDER/experiment.toml:36:1: warning: pipeline.again: nothing reads 'same', so that FeedForwardNetwork has no effect\n"
        "    fix: name the stream in a component that should read it, or set pipeline.again.enabled = false\n"
        "FOLDER/experiment.toml:36:1: error: pipeline.again.share: 'inputs' is [B, input_size = 2] here and [B, input_size = 4] in 'net' (FeedForwardNetwork); a shared model has the same sizes in both\n");
}

TEST_CASE("share: sizes that a model publishes are known of the streams of both") {
    const ExperimentFolder folder;
    const std::string plain = "{ kernel_size = 1 }";
    folder.write({.training = training("0.1"),
                  .pipeline = "[pipeline.encoder]\ntype = \"ConvNetEncoder\"\nconv1 = " + plain +
                              "\nconv2 = " + plain + "\nconv3 = " + plain + "\nmaxpool1 = " +
                              plain + "\nmaxpool2 = " + plain + "\nmaxpool3 = " + plain +
                              "\n[pipeline.again]\nshare = \"encoder\"\nstreams = { feature_maps = "
                              "\"more_maps\" }\n[pipeline.flat]\ntype = \"Flatten\"\n"
                              "streams = { inputs = \"more_maps\", outputs = \"flat\" }\n",
                  .source = "flat"});
    const ProcessResult result = folder.run("run");
    CHECK(ptp::test::without_warnings(without_excerpts(result.errors),
                                      "pipeline.encoder: nothing reads 'feature_maps'") == "");
    CHECK(result.status == 0);
    const ProcessResult drawn =
        ptp::test::run_program("ptprun", {"draw", (folder.path() / "experiment.toml").string()});
    CAPTURE(drawn.output);
    CHECK(drawn.output.find("more_maps") != std::string::npos);
    CHECK(drawn.output.find("feature_map_depth = 16, feature_map_height = 2") != std::string::npos);
}

TEST_CASE("share: a build that takes the place of a shared model's is swapped in for both") {
    const ExperimentFolder folder;
    ptp::test::Lines lines = ptp::test::with_recurrent(4);
    lines.pipeline +=
        "[pipeline.again]\nshare = \"encoder\"\n"
        "streams = { inputs = \"features\", predictions = \"same\" }\n"
        "[pipeline.nll_again]\ntype = \"NLLLoss\"\n"
        "streams = { predictions = \"same\", loss = \"loss_again\" }\n";
    folder.write(lines);
    ptp::test::install(folder);
    ptp::test::LiveRun run(folder, "run");
    run.go_on_for(3);
    require_success(run.swap({ptp::test::recurrent_build("residual").string()}));
    run.finish();
    ptp::test::replay(folder, "run", "again");
    CHECK(folder.read(std::string("again/") + kLast) == folder.read(std::string("run/") + kLast));
}

namespace {

constexpr const char* kLosses =
    "[pipeline.left_nll]\ntype = \"NLLLoss\"\n"
    "streams = { predictions = \"left_scores\", loss = \"left_loss\" }\n"
    "[pipeline.right_nll]\ntype = \"NLLLoss\"\n"
    "streams = { predictions = \"right_scores\", loss = \"right_loss\" }\n";

// Two networks with the same weights, of images that each of them reshapes, as a group.
std::string grouped(const std::string& hidden_sizes = "\"${hidden}\"") {
    return R"([group.scorer]
streams = ["images", "scores"]
parameters = { hidden = [8] }
[group.scorer.flat]
type = "ReshapeTensor"
input_dims = [-1, 1, 2, 2]
output_dims = [-1, 4]
streams = { inputs = "images", outputs = "rows" }
[group.scorer.net]
type = "FeedForwardNetwork"
hidden_sizes = )" +
           hidden_sizes + R"(
streams = { inputs = "rows", predictions = "scores" }
globals = { prediction_size = "num_classes" }
[pipeline.left]
use = "scorer"
streams = { images = "inputs", scores = "left_scores" }
[pipeline.right]
use = "scorer"
share = "left"
streams = { images = "inputs", scores = "right_scores" }
)" + kLosses;
}

// Returns the same pipeline without a group, component by component.
std::string written_out() {
    const auto flat = [](const std::string& side) {
        return "[pipeline." + side +
               "_flat]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 1, 2, 2]\n"
               "output_dims = [-1, 4]\nstreams = { outputs = \"" +
               side + "_rows\" }\nglobals = { output_size = \"" + side + "_output_size\" }\n";
    };
    return flat("left") + R"([pipeline.left_net]
type = "FeedForwardNetwork"
hidden_sizes = [8]
streams = { inputs = "left_rows", predictions = "left_scores" }
globals = { prediction_size = "num_classes" }
)" + flat("right") +
           R"([pipeline.right_net]
share = "left_net"
streams = { inputs = "right_rows", predictions = "right_scores" }
)" + kLosses;
}

}  // namespace

TEST_CASE("groups: a pair with shared weights trains with the bits of what it stands for") {
    const ExperimentFolder folder({.training = training("0.1"), .pipeline = written_out()});
    const std::string plain = weights(folder, "plain");
    folder.write({.training = training("0.1"), .pipeline = grouped()});
    CHECK(weights(folder, "grouped") == plain);
    CHECK(plain.find("left_net.layers") != std::string::npos);
    CHECK(plain.find("right_net.layers") == std::string::npos);
    // The run has the components, and is used without the group.
    const auto drawn = ptp::test::run_program("ptprun", {"draw", folder.run_folder("grouped")});
    CHECK(drawn.status == 0);
    CHECK(drawn.output.find("right_rows") != std::string::npos);
    const auto predicted =
        ptp::test::run_program("ptprun", {"predict", folder.run_folder("grouped"), "--data",
                                          "validation", "--stream", "right_scores"});
    CHECK(predicted.status == 0);
}

TEST_CASE("groups: an error in one has the place in the group, and names the uses") {
    const ExperimentFolder folder({.training = training("0.1"), .pipeline = grouped("\"many\"")});
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 2);
    CHECK(without_folder(without_excerpts(result.errors), folder.path()) ==
          "FOLDER/experiment.toml:33:16: warning: group.scorer.parameters.hidden: never used\n"
          "FOLDER/experiment.toml:41:16: error: pipeline.left_net.hidden_sizes = \"many\": must be "
          "an integer or a list of integers in [1, inf), not a string\n"
          "FOLDER/experiment.toml:44:1: error: pipeline.left: is [group.scorer] of "
          "FOLDER/experiment.toml:31:1, where this is wrong: pipeline.left_net\n"
          "FOLDER/experiment.toml:47:1: error: pipeline.right: is [group.scorer] of "
          "FOLDER/experiment.toml:31:1, where this is wrong: pipeline.right_net\n"
          "3 errors and 1 warning\n");
}

}  // namespace share_test
