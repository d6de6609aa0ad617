// What a run records and prints besides its CSV files, and the runs that only try something.

#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace records_test {

using nlohmann::json;
using namespace ptp::test;

namespace {

std::vector<json> objects_of(const std::string& text) {
    std::vector<json> objects;
    for (const std::string& line : lines_of(text)) {
        objects.push_back(json::parse(line));
    }
    return objects;
}

std::vector<std::string> events_of(const std::vector<json>& objects) {
    std::vector<std::string> events;
    for (const json& object : objects) {
        const std::string event = object.at("event");
        events.push_back(event == "set" ? std::string(object.at("set")) : event);
    }
    return events;
}

constexpr const char* kRecords =
    "[records.json_lines]\n[records.tensorboard]\nhistograms_every_episodes = 6\n"
    "images = [\"inputs\"]\nimage_count = 2\n";

}  // namespace

TEST_CASE("records: every episode and every set is in all forms") {
    const ExperimentFolder folder({.pipeline = kRecords});
    require_success(folder.run("run"));

    // 6 episodes and two sets in each of 3 epochs, and the test.
    const auto lines = objects_of(folder.read("run/statistics.jsonl"));
    REQUIRE(lines.size() == 18 + 6 + 1);
    CHECK(lines[0].at("episode") == 0);
    CHECK(lines[5].at("statistics").contains("accuracy"));
    CHECK(lines[6].at("set") == "validation");
    CHECK(lines[7].at("set") == "training");
    CHECK(lines[6].at("statistics").contains("loss_std"));
    CHECK(lines[24].at("set") == "test");

    const std::string events = folder.read("run/tensorboard/events.out.tfevents.0.ptp");
    CHECK(count_of("episodes/loss", events) == 18);
    CHECK(count_of("validation/loss", events) == 3);
    CHECK(count_of("test/loss", events) == 1);
    // In episodes 0, 6 and 12, for two weights and two biases.
    CHECK(count_of("weights/net.", events) == 12);
    CHECK(count_of("gradients/net.", events) == 12);
    CHECK(count_of("inputs/1", events) == 3);
    CHECK(count_of("ReshapeTensor", events) == 2);  // in the graph and in the experiment
}

TEST_CASE("records: --json prints an object for each event, and nothing else") {
    const ExperimentFolder folder;
    const ProcessResult result = folder.run("run", {"--json"});
    require_success(result);
    const auto objects = objects_of(result.output);
    std::vector<std::string> events = events_of(objects);
    CHECK(objects[0].at("name") == "tiny");
    CHECK(objects[0].at("components").size() == 4);
    CHECK(objects[1].at("event") == "progress");
    for (const char* member : {"episode", "epoch", "episode_count", "loss", "episodes_per_second",
                               "memory_bytes", "wait_share"}) {
        CHECK(objects[1].at(member).is_number());
    }
    CHECK(objects[1].at("seconds_left").is_null());  // one episode tells too little
    CHECK(objects.back().at("state") == "done");
    CHECK(objects.back().at("exit_code") == 0);
    std::erase(events, "progress");
    std::erase(events, "warning");
    CHECK(events == std::vector<std::string>{"begin", "validation", "training", "checkpoint",
                                             "validation", "training", "checkpoint", "validation",
                                             "training", "checkpoint", "test", "end"});
}

TEST_CASE("records: --json has an event for each judgement of the online worker") {
    const ExperimentFolder folder({.training = "worker = \"online\"\n"
                                               "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                               "terminal_conditions = { episode_limit = 6 }\n",
                                   .validation = "partial_validation_interval = 3\n",
                                   .has_test = false});
    const ProcessResult result = folder.run("run", {"--json"});
    require_success(result);
    std::vector<std::pair<std::string, int>> sets;
    for (const json& object : objects_of(result.output)) {
        if (object.at("event") == "set") {
            sets.emplace_back(object.at("set"), object.at("episode"));
            CHECK(object.at("statistics").at("loss").is_number());
            CHECK(object.at("statistics").at("accuracy").is_number());
        }
    }
    std::ranges::sort(sets);
    CHECK((sets == std::vector<std::pair<std::string, int>>{{"partial_validation", 2},
                                                            {"partial_validation", 5},
                                                            {"training", 5},
                                                            {"validation", 5}}));
}

TEST_CASE("records: overfitting puts a reservoir aside, so that it can be repeated") {
    const ExperimentFolder folder({.training =
                                       "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                       "terminal_conditions = { epoch_limit = 3 }\n"
                                       "dataloader = { mode = \"reservoir\", reservoir_size = 4, "
                                       "reservoir_exchange = 2 }\n"});
    for (const char* run : {"first", "second"}) {
        const ProcessResult result = folder.run(run, {"--overfit", "2"});
        CHECK(without_folder(result.errors, folder.path()) ==
              "FOLDER/experiment.toml:3:1: warning: training.dataloader.mode: is ignored: "
              "--overfit takes samples in order\n");
        REQUIRE(result.status == 0);
    }
    CHECK(folder.read("first/training.csv") == folder.read("second/training.csv"));
    CHECK(folder.read("first/checkpoints/last/checkpoint.toml").find("is_reproducible = true") !=
          std::string::npos);
}

TEST_CASE("records: a fast development run is one episode and leaves no checkpoint") {
    const ExperimentFolder folder;
    const ProcessResult result = folder.run("run", {"--fast-dev-run"});
    require_success(result);
    CHECK(result.output.find("a fast development run: one batch of each set\n") !=
          std::string::npos);
    CHECK(result.output.find("that was a fast development run: its checkpoints are removed\n") !=
          std::string::npos);
    CHECK(count_of("\n", folder.read("run/training.csv")) == 2);
    CHECK(folder.read("run/validation.csv").find("\n0,1,1,") != std::string::npos);
    CHECK(folder.read("run/test.csv").find("\n0,1,1,") != std::string::npos);
    CHECK_FALSE(folder.has("run/checkpoints"));
}

TEST_CASE("records: overfitting sees the first batches in their order, and validates on them") {
    const ExperimentFolder folder({.pipeline = "[pipeline.seen]\ntype = \"IndexWitness\"\n"});
    const ProcessResult result = folder.run("run", ptp::test::with_witness({"--overfit", "2"}));
    require_success(result);
    CHECK(result.output.find("overfitting: training and validation are the first 2 batches\n") !=
          std::string::npos);
    std::vector<std::int64_t> first(16);
    for (std::size_t i = 0; i < first.size(); ++i) {
        first[i] = static_cast<std::int64_t>(i);
    }
    const std::vector<std::vector<std::int64_t>> three(3, first);
    const std::string seen = folder.read("run/seen.txt");
    CHECK(ptp::test::samples_seen(seen, "training") == three);
    CHECK(ptp::test::samples_seen(seen, "validation") == three);
    CHECK_FALSE(folder.has("run/test.csv"));
}

TEST_CASE("records: a profile tells forward and backward of each component, and makes a trace") {
    const ExperimentFolder folder;
    const ProcessResult plain = folder.run("plain");
    const ProcessResult result = folder.run("run", {"--profile"});
    require_success(result);
    for (const char* row : {"\nwait for data ", "\nforward  net ", "\nbackward  net ",
                            "\nforward  nll ", "\noptimizer ", "\nthe whole run "}) {
        CAPTURE(row);
        CHECK(count_of(row, result.output) == 1);
    }
    CHECK(count_of("\nbackward  accuracy ", result.output) == 0);
    const json trace = json::parse(folder.read("run/trace.json"));
    const auto& events = trace.at("traceEvents");
    const auto is_backward = [](const json& event) { return event.at("name") == "backward  net"; };
    CHECK(std::count_if(events.begin(), events.end(), is_backward) == 18);
    // Looking on changes no bit.
    CHECK(folder.read("run/training.csv") == folder.read("plain/training.csv"));
}

TEST_CASE("records: a trace that cannot be written is said, and does not make a run fail") {
    const ExperimentFolder folder;
    const std::string experiment =
        folder
            .write({.training = "optimizer = { type = \"Adam\", lr = 0.01 }\n"
                                "terminal_conditions = { epoch_limit = 1000000, "
                                "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"})
            .string();
    const std::string run = folder.run_folder("run");
    TrainingProcess training({experiment, "--run-dir", run, "--profile"});
    REQUIRE(training.wait_for_lines("validation  ", 1));
    std::filesystem::create_directory(run + "/trace.json");
    CHECK(training.end_with(SIGTERM) == 143);
    CHECK(status_in(run) == "stopped: SIGTERM (143)");
    CHECK(folder.read("run/run.log")
              .ends_with(" warning ptp: no trace was written: cannot write " + run +
                         "/trace.json: Is a directory\n"));
}

TEST_CASE("records: the summary lists tensors and the first sample, in the folder and by command") {
    const ExperimentFolder folder;
    const std::string experiment = folder.write({.has_test = false}).string();
    const std::string wanted = R"(model
  reshape (ReshapeTensor, transforms 0.1.0, forward)
  net (FeedForwardNetwork, general_models 0.1.0, forward)
)";
    const ProcessResult printed = ptp::test::run_program("ptprun", {"summary", experiment});
    require_success(printed);
    CHECK(printed.output.starts_with(wanted));
    CHECK(printed.output.find("  [16, 4]                       64\n") != std::string::npos);
    // 4 * 16 + 16 and 16 * 10 + 10 numbers of 4 bytes.
    CHECK(printed.output.find("  all: 250 parameters, 250 of them trained; 0 numbers in buffers; "
                              "1.0 KiB\ndata\n  training (FashionMNIST, vision_tasks 0.1.0)\n"
                              "    48 samples, 6 episodes of 8\n") != std::string::npos);
    CHECK(printed.output.find("    inputs                    float32 [1, 2, 2]\n") !=
          std::string::npos);
    CHECK(printed.output.find("    targets                   int64 []\n") != std::string::npos);
    const ProcessResult result = folder.run("run", {"--fast-dev-run"});
    REQUIRE(result.status == 0);
    CHECK(folder.read("run/summary.txt").starts_with(wanted));
}

TEST_CASE("records: options that make no sense together are refused") {
    const ExperimentFolder folder;
    CHECK(folder.run("a", {"--fast-dev-run", "--overfit", "1"}).errors ==
          "ptprun: error: --fast-dev-run and --overfit exclude each other\n    help: ptprun help "
          "run\n");
    CHECK(folder.run("b", {"--overfit", "0"}).errors ==
          "ptprun: error: --overfit 0: must be 1 or more\n    help: ptprun help run\n");
    CHECK(folder.run("c", {"--json", "--quiet"}).errors ==
          "ptprun: error: --json and --quiet exclude each other\n    help: ptprun help run\n");
}

}  // namespace records_test
