// Components that run in some sections only, in a whole run.

#include "runs/support.hpp"

#include "support/texts.hpp"

#include <doctest/doctest.h>

namespace phases_test {

using namespace ptp::test;

namespace {

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

}  // namespace

TEST_CASE("phases: a component that is inactive in a section neither runs nor is measured there") {
    const ExperimentFolder folder({.pipeline = "[pipeline.seen]\ntype = \"IndexWitness\"\nphases = "
                                               "[\"validation\", \"process\"]\n"
                                               "[records.json_lines]\n[records.tensorboard]\n"});
    const ProcessResult result =
        folder.run("run", with_witness({"--set", "pipeline.accuracy.phases=[\"test\"]", "--set",
                                        "pipeline.nll.phases=[\"training\", \"validation\"]"}));
    require_success(result);
    CHECK(first_line(folder.read("run/training.csv")) == "episode,epoch,loss,learning_rate");
    CHECK(first_line(folder.read("run/training_epochs.csv")) ==
          "episode,episodes_aggregated,epoch,loss,loss_min,loss_max,loss_std");
    CHECK(first_line(folder.read("run/validation.csv")) ==
          "episode,episodes_aggregated,epoch,loss,loss_min,loss_max,loss_std");
    CHECK(first_line(folder.read("run/test.csv")) ==
          "episode,episodes_aggregated,epoch,accuracy,accuracy_min,accuracy_max,accuracy_std");
    CHECK(result.output.find("test set, best weights  accuracy ") != std::string::npos);
    CHECK(folder.read("run/test.csv").find("nan") == std::string::npos);
    // 18 episodes, 3 epochs and 3 validations have a loss, the test has an accuracy.
    const std::string lines = folder.read("run/statistics.jsonl");
    CHECK(count_of("null", lines) == 0);
    CHECK(count_of("\"loss\":", lines) == 24);
    CHECK(count_of("\"accuracy\":", lines) == 1);
    CHECK(count_of("\"learning_rate\":0.05}", lines) == 18);
    const std::string events = folder.read("run/tensorboard/events.out.tfevents.0.ptp");
    CHECK(count_of("episodes/learning_rate", events) == 18);
    CHECK(count_of("episodes/accuracy", events) == 0);
    CHECK(count_of("training/learning_rate", events) == 0);
    CHECK(count_of("validation/accuracy", events) == 0);
    CHECK(count_of("test/accuracy", events) == 1);
    CHECK(count_of("test/loss", events) == 0);
    const std::string seen = folder.read("run/seen.txt");
    CHECK(samples_seen(seen, "training").empty());
    CHECK(samples_seen(seen, "test").empty());
    CHECK(samples_seen(seen, "validation").size() == 3);
}

TEST_CASE("phases: an exporter may continue in a section that lacks some of its streams") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                     "terminal_conditions = { epoch_limit = 1 }\n",
         .pipeline = "[pipeline.vectors]\ntype = \"Flatten\"\nphases = [\"training\", \"test\"]\n"
                     "streams = { inputs = \"inputs\", outputs = \"flat\" }\n"
                     "[pipeline.sums]\ntype = \"ReduceTensor\"\nskip_if_missing = true\n"
                     "streams = { inputs = \"flat\", outputs = \"brightness\" }\n"
                     "[pipeline.rows]\ntype = \"StreamFileExporter\"\n"
                     "input_streams = [\"indices\", \"brightness\"]\n"});
    const ProcessResult refused = folder.run("refused");
    CHECK(refused.status == 2);
    CHECK(refused.errors.find("pipeline.rows: input 'input_streams[1]' reads stream 'brightness', "
                              "which 'sums' (ReduceTensor) does not write in [validation]") !=
          std::string::npos);
    const ProcessResult result =
        folder.run("run", {"--set", "pipeline.rows.skip_missing_streams=true"});
    REQUIRE(result.status == 0);
    const std::string rows = folder.read("run/exports/rows.csv");
    CHECK(count_of("\nvalidation,1,", rows) == 16);
    CHECK(count_of("\ntraining,1,", rows) == 48);
    CHECK(count_of(",\n", rows) == 16);
    const std::string log = folder.read("run/run.log");
    CHECK(count_of("[validation] has no stream 'brightness': it continues without", log) == 1);
    CHECK(count_of("has no stream", log) == 1);
}

TEST_CASE("phases: an inactive component changes no bit of the training") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("all").status == 0);
    REQUIRE(folder.run("some", {"--set", "pipeline.accuracy.phases=[\"test\"]"}).status == 0);
    CHECK((folder.read("all/checkpoints/last/weights.safetensors") ==
           folder.read("some/checkpoints/last/weights.safetensors")));
}

namespace {

// Images that a flip changes while training, and a sum of two that a whole batch goes through.
std::string flipped(const std::string& keys) {
    return "[pipeline.flip]\ntype = \"RandomFlip\"\nvertical = 0.5\n" + keys +
           "streams = { outputs = \"flipped\" }\n"
           "[pipeline.normal]\ntype = \"Normalize\"\nmean = 0.3\nstd = 0.4\n"
           "streams = { inputs = \"flipped\", outputs = \"normal\" }\n"
           "[pipeline.flat]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 1, 2, 2]\n"
           "output_dims = [-1, 4]\nstreams = { inputs = \"normal\", outputs = \"flat\" }\n"
           "globals = { output_size = \"flat_size\" }\n";
}

}  // namespace

TEST_CASE("phases: what passes through in validation has the bits of what does nothing there") {
    const ExperimentFolder folder(
        {.pipeline = flipped("phases = [\"training\"]\npass_through = true\n"), .source = "flat"});
    REQUIRE(folder.run("passed").status == 0);
    REQUIRE(folder.run("threads", {"--set", "validation.dataloader.num_workers=3"}).status == 0);
    folder.write({.pipeline = flipped(""), .source = "flat"});  // it flips while training alone
    REQUIRE(folder.run("whole").status == 0);
    for (const char* file :
         {"training.csv", "validation.csv", "test.csv", "checkpoints/last/training.safetensors"}) {
        CAPTURE(file);
        CHECK((folder.read(std::string("passed/") + file) ==
               folder.read(std::string("whole/") + file)));
        CHECK((folder.read(std::string("threads/") + file) ==
               folder.read(std::string("whole/") + file)));
    }
}

TEST_CASE("phases: predictions pass through a component of the training, in its thread, too") {
    const ExperimentFolder folder(
        {.pipeline = flipped("phases = [\"training\"]\npass_through = true\n"), .source = "flat"});
    REQUIRE(folder
                .run("run", {"--set", "pipeline.normal.phases=[\"training\"]", "--set",
                             "pipeline.normal.pass_through=true"})
                .status == 0);
    const ProcessResult predicted = ptp::test::run_program(
        "ptprun", {"predict", folder.run_folder("run"), "--data", "validation", "--quiet"});
    CAPTURE(predicted.errors);
    REQUIRE(predicted.status == 0);
    CHECK(count_of("\n", predicted.output) == 17);  // a row for each image, and a head
}

}  // namespace phases_test
