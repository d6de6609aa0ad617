// Two components that are one model.

#include "runs/live_run.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace share_test {

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;
using ptp::test::without_excerpts;
using ptp::test::without_folder;

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
    const ExperimentFolder folder;
    folder.write({.training = training("0.5")});
    const std::string once = weights(folder, "once");
    // The gradients add up to twice those of one, and half of the rate makes the same step of them.
    folder.write({.training = training("0.25"), .pipeline = kTwice});
    CHECK(weights(folder, "twice") == once);
}

TEST_CASE("share: a resumed run continues with the same bits") {
    const ExperimentFolder folder;
    folder.write({.training = training("0.1"), .pipeline = kTwice});
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

TEST_CASE("share: only a model can be shared") {
    const ExperimentFolder folder;
    folder.write({.pipeline = "[pipeline.again]\nshare = \"nll\"\n"
                              "streams = { loss = \"loss_again\" }\n"});
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 2);
    CHECK(without_folder(without_excerpts(result.errors), folder.path()) ==
          "FOLDER/experiment.toml:32:9: error: pipeline.again.share: 'nll' is a loss and has no "
          "weights to share: only models do\n");
}

TEST_CASE("share: a model is not shared by streams of other sizes") {
    const ExperimentFolder folder;
    folder.write({.pipeline = "[pipeline.slice]\ntype = \"SliceTensor\"\ndim = 1\nend = 2\n"
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
    const ProcessResult result = run.swap({ptp::test::recurrent_build("residual").string()});
    CHECK(result.errors == "");
    CHECK(result.status == 0);
    run.done({"continue"});
    REQUIRE(run.end_with(0) == 0);
    ptp::test::replay(folder, "run", "again");
    CHECK(folder.read(std::string("again/") + kLast) == folder.read(std::string("run/") + kLast));
}

}  // namespace share_test
