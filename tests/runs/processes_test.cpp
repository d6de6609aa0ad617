// Trainings in several processes, as ptprun --nproc starts them and as others do.

#include "distributed/held_port.hpp"
#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace processes_test {

namespace {

using namespace ptp::test;

constexpr const char* kTwoEpochs =
    "optimizer = { type = \"Adam\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 2 }\n";

// With a component that ends the process of a rank in episode 7, once or as often as is given.
void write_mortal(const ExperimentFolder& folder, const std::string& settings) {
    folder.write(
        {.training = kTwoEpochs,
         .pipeline =
             "[checkpoint]\nevery_episodes = 4\n[pipeline.mortal]\ntype = \"Mortal\"\nepisode = 7\n" +
             settings + "\nstreams = { inputs = \"features\", outputs = \"more\" }\n",
         .source = "more",
         .has_test = false});
}

nlohmann::json record_of(const ExperimentFolder& folder, const std::string& run) {
    return nlohmann::json::parse(folder.read(run + "/run.json"));
}

std::string weights_of(const ExperimentFolder& folder, const std::string& run) {
    return folder.read(run + "/checkpoints/last/weights.safetensors");
}

}  // namespace

TEST_CASE("processes: two train into one folder, and the second prints into its log") {
    const ExperimentFolder folder({.training = kTwoEpochs});
    const ProcessResult said = folder.run("two", {"--nproc", "2", "--profile"});
    CHECK(said.errors == "");
    CHECK(std::regex_search(said.output,
                            std::regex("\nsums of gradients: [0-9.]+ ms in each episode, "
                                       "[0-9.]+ ms of it while the backward pass ran\n")));
    CHECK(folder.has("two/trace.json"));
    CHECK(folder.has("two/ranks/1/trace.json"));
    CHECK(said.status == 0);
    CHECK(said.output.find("12 episodes in ") != std::string::npos);
    CHECK(folder.has("two/ranks/1.log"));
    CHECK_FALSE(folder.has("two/ranks/0.log"));
    CHECK(ptp::test::status_in(folder.path() / "two") == "done: epoch limit of 2 reached (0)");
    const auto processes = record_of(folder, "two")["processes"];
    REQUIRE(processes.size() == 1);
    CHECK(processes[0]["ranks"] == 2);
    CHECK(processes[0]["launcher"] == "ptprun");
    CHECK(processes[0]["restart"] == 0);
}

TEST_CASE("processes: those that others start with RANK and WORLD_SIZE share a folder, too") {
    const ExperimentFolder folder;
    const std::string file = folder.write({.training = kTwoEpochs, .has_test = false}).string();
    const ptp::distributed::HeldPort port;
    std::map<std::string, std::string> variables = {{"WORLD_SIZE", "2"},
                                                    {"MASTER_ADDR", "127.0.0.1"},
                                                    {"MASTER_PORT", std::to_string(port.number())}};
    variables["RANK"] = "1";
    TrainingProcess second({file, "--run-dir", folder.run_folder("two")}, variables);
    variables["RANK"] = "0";
    TrainingProcess first({file, "--run-dir", folder.run_folder("two")}, variables);
    CHECK(first.end_with(0) == 0);
    CHECK(second.end_with(0) == 0);
    CHECK(folder.has("two/ranks/1.log"));
    CHECK(record_of(folder, "two")["processes"][0]["launcher"] == "RANK and WORLD_SIZE");
}

TEST_CASE("processes: one that is killed is named, and the run can be resumed") {
    const ExperimentFolder folder;
    write_mortal(folder, "rank = 1");
    const ProcessResult said = folder.run("run", with_witness({"--nproc", "2"}));
    CHECK(said.status == 137);
    const std::string errors = comparable(folder, said.errors);
    CHECK(errors.find("ptprun: error: rank 1 of 2 on HOST (process N) was killed by SIGKILL\n") !=
          std::string::npos);
    CHECK(errors.find("    fix: ptprun resume FOLDER/run --nproc 2\n") != std::string::npos);
    CHECK(ptp::test::status_in(folder.path() / "run").starts_with("failed: "));
}

TEST_CASE("processes: restarted after a kill they train the bits of an uninterrupted run") {
    const ExperimentFolder folder;
    write_mortal(folder, "rank = 9");
    CHECK(folder.run("whole", with_witness({"--nproc", "2"})).status == 0);
    write_mortal(folder, "rank = 1");
    const ProcessResult said = folder.run("run", with_witness({"--nproc", "2", "--restarts", "1"}));
    CHECK(said.status == 0);
    const std::string errors = comparable(folder, said.errors);
    CHECK(errors.find("ptprun: warning: rank 1 of 2 on HOST (process N) was killed by SIGKILL\n") !=
          std::string::npos);
    CHECK(errors.find("    restart 1 of 1, with 2 processes\n") != std::string::npos);
    CHECK(weights_of(folder, "run") == weights_of(folder, "whole"));
    const auto processes = record_of(folder, "run")["processes"];
    REQUIRE(processes.size() == 2);
    CHECK(processes[1]["restart"] == 1);
    CHECK(std::regex_match(
        processes[1]["restart_reason"].get<std::string>(),
        std::regex("rank 1 of 2 on [^ ]+ \\(process [0-9]+\\) was killed by SIGKILL")));
    CHECK(folder.read("run/run.log").find("was killed by SIGKILL") != std::string::npos);
}

TEST_CASE("processes: restarted before a checkpoint they continue from where it was asked for") {
    const ExperimentFolder folder;
    write_mortal(folder, "rank = 1");  // The first runs have no ranks.
    const std::string limit = "training.terminal_conditions.epoch_limit=";
    REQUIRE(folder.run("run", with_witness({"--set", limit + "1"})).status == 0);
    const auto resume = [&folder](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"resume", folder.run_folder("run")};
        words.insert(words.end(), more.begin(), more.end());
        return ptp::test::run_program("ptprun", with_witness(words), {{"OMP_NUM_THREADS", "1"}});
    };
    // The second epoch spoils the weights: the best ones are those after episode 6.
    REQUIRE(resume({"--set", limit + "2", "--set", "training.optimizer.lr=1"}).status == 0);
    const ProcessResult said =
        resume({"--checkpoint", "best", "--nproc", "2", "--restarts", "1", "--threads", "1"});
    CAPTURE(said.errors);
    CHECK(said.status == 0);
    CHECK(said.errors.find("    restart 1 of 1, with 2 processes\n") != std::string::npos);
    CHECK(ptp::test::status_in(folder.path() / "run") == "done: epoch limit of 2 reached (0)");
    const std::string table = folder.read("run/training.csv");
    CHECK(std::ranges::count(table, '\n') == 13);
    const auto processes = record_of(folder, "run")["processes"];
    REQUIRE(processes.size() == 4);
    CHECK(processes[3]["command_line"].dump().find("--threads") != std::string::npos);
    CHECK(folder.read("run/run.log").find("after episode 6, from ") !=
          folder.read("run/run.log").rfind("after episode 6, from "));
}

TEST_CASE("processes: where the same rank fails twice the run continues with one fewer") {
    const ExperimentFolder folder;
    write_mortal(folder, "rank = 1\ndeaths = 2");
    const ProcessResult said =
        folder.run("run", with_witness({"--nproc", "2", "--restarts", "2", "--min-nproc", "1"}));
    CHECK(said.status == 0);
    CHECK(said.errors.find("    restart 2 of 2, with 1 process, because the same one has failed "
                           "twice\n") != std::string::npos);
    const auto processes = record_of(folder, "run")["processes"];
    REQUIRE(processes.size() == 3);
    CHECK(processes[2]["ranks"] == 1);
}

TEST_CASE("processes: what would happen again is not tried again") {
    const ExperimentFolder folder;
    write_mortal(folder, "rank = 1\nend = \"throw\"");
    const ProcessResult said = folder.run("run", with_witness({"--nproc", "2", "--restarts", "3"}));
    CHECK(said.status == 4);
    CHECK(said.errors.find("restart") == std::string::npos);
    CHECK(said.errors.find("this was the end") != std::string::npos);
}

TEST_CASE("processes: a signal to the launcher leaves a checkpoint, and a resume continues") {
    const ExperimentFolder folder;
    const std::string file = folder.write({.training = kTwoEpochs, .has_test = false}).string();
    TrainingProcess training(
        {file, "--run-dir", folder.run_folder("run"), "--nproc", "2", "--paused", "--verbose"});
    REQUIRE(training.wait_for_lines("paused", 1));
    CHECK(training.end_with(SIGINT) == 130);
    const ProcessResult said = ptp::test::run_program(
        "ptprun", {"resume", folder.run_folder("run"), "--nproc", "2"}, {{"OMP_NUM_THREADS", "1"}});
    CHECK(said.errors == "");
    CHECK(ptp::test::status_in(folder.path() / "run") == "done: epoch limit of 2 reached (0)");
}

}  // namespace processes_test
