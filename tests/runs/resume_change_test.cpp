// `ptprun resume --set`: a run continues with another end, or another learning rate.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace resume_change_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kEpochs = "training.terminal_conditions.epoch_limit=";
constexpr const char* kEpisodes = "training.terminal_conditions.episode_limit=";

void replay(const ExperimentFolder& folder, const std::string& run, const std::string& name) {
    require_success(ptp::test::ptprun(
        {"replay", folder.run_folder(run), "--run-dir", folder.run_folder(name)}));
}

// How much of the journal a checkpoint has seen is not a result.
std::string without_journal(const std::string& state) {
    // TensorBoard's events have moments in them.
    static const std::regex of_events(
        R"((\[sinks\."records\.tensorboard"\]\nsize = \d+\n)sha256 = "\w+"\n)");
    return std::regex_replace(std::regex_replace(state, std::regex("journal = [0-9]+\n"), ""),
                              of_events, "$1");
}

// What was recorded, and both checkpoints.
void check_same_training(const ExperimentFolder& folder, const std::string& left,
                         const std::string& right) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder.path() / left)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".csv") || name == "statistics.jsonl") {
            files.emplace_back(name);
        }
    }
    CHECK(files.size() >= 3);
    for (const char* name : {"weights.safetensors", "training.safetensors", "training.toml"}) {
        files.push_back(fs::path("checkpoints/last") / name);
        files.push_back(fs::path("checkpoints/best") / name);
    }
    for (const fs::path& file : files) {
        CAPTURE(file.string());
        CHECK((without_journal(folder.read(left / file)) ==
               without_journal(folder.read(right / file))));
    }
    CHECK(status_in(folder.path() / left) == status_in(folder.path() / right));
}

// The learning rate of each episode.
std::vector<std::string> rates(const ExperimentFolder& folder, const std::string& name) {
    std::istringstream in(folder.read(fs::path(name) / "training.csv"));
    std::string header;
    std::getline(in, header);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) {
        all.push_back(ptp::test::last_value(header + "\n" + line + "\n", "learning_rate"));
    }
    return all;
}

}  // namespace

TEST_CASE("resume --set: a run of 2 epochs that continues to 5 has the bits of one of 5") {
    const ExperimentFolder folder(stateful(5));
    REQUIRE(folder.run("at_once", often()).status == 0);
    folder.write(stateful(2));
    REQUIRE(folder.run("longer", often()).status == 0);
    const std::string began = folder.read("longer/experiment.toml");

    const ProcessResult result = resume_with(folder, "longer", {std::string(kEpochs) + "5"});
    require_success(result);
    CHECK(result.output.find("from episode 12 on: "
                             "training.terminal_conditions.epoch_limit = 5\n") !=
          std::string::npos);
    CHECK(result.output.find("; ends after 5 epochs") != std::string::npos);
    check_same_training(folder, "at_once", "longer");
    CHECK(folder.read("longer/experiment_at_start.toml") == began);
    CHECK(folder.read("longer/experiment.toml") ==
          std::regex_replace(began, std::regex("epoch_limit = 2"), "epoch_limit = 5"));
    const std::string entry =
        R"({"format":2,"number":1,"episode":12,"command":"set","arguments":{"values":)"
        R"(["training.terminal_conditions.epoch_limit=5"]},"time":")";
    CHECK(folder.read("longer/journal.jsonl").starts_with(entry));

    replay(folder, "longer", "again");
    check_same_training(folder, "at_once", "again");
    CHECK(folder.read("again/experiment_at_start.toml") == began);
    CHECK(folder.read("again/experiment.toml") == folder.read("longer/experiment.toml"));
}

TEST_CASE("resume --set: a kill after it, and a resume without it, keep what was set") {
    const ExperimentFolder folder(stateful_on_plateau(40));
    REQUIRE(folder.run("at_once", often()).status == 0);
    folder.write(stateful_on_plateau(12));  // as many digits as 40: TensorBoard has the text
    REQUIRE(folder.run("longer", often()).status == 0);
    {
        TrainingProcess process({"resume", folder.run_folder("longer"), "--verbose", "--set",
                                 std::string(kEpochs) + "40"});
        REQUIRE(process.wait_for_lines("validation  ", 3));
        process.end_with(SIGKILL);
    }
    REQUIRE(resume_with(folder, "longer", {}).status == 0);
    check_same_training(folder, "at_once", "longer");
}

TEST_CASE("resume --set: a run continues in several parts") {
    const ExperimentFolder folder(stateful(4));
    REQUIRE(folder.run("at_once").status == 0);
    folder.write(stateful(1));
    REQUIRE(folder.run("longer").status == 0);
    for (const char* epochs : {"2", "3", "4"}) {
        REQUIRE(resume_with(folder, "longer", {kEpochs + std::string(epochs)}).status == 0);
    }
    check_same_training(folder, "at_once", "longer");
    replay(folder, "longer", "again");
    check_same_training(folder, "at_once", "again");
}

TEST_CASE("resume --set: an epoch that a limit has cut short is made whole") {
    const ExperimentFolder folder(stateful(5));
    const auto options = [](const std::string& limit) {
        return std::vector<std::string>{
            "--set", "checkpoint.every_episodes=1", "--set", "checkpoint.keep=1",
            "--set", "training.warm_up.episodes=8", "--set", std::string(kEpisodes) + limit};
    };
    REQUIRE(folder.run("at_once", options("15")).status == 0);
    REQUIRE(folder.run("longer", options("8")).status == 0);
    CHECK(status_in(folder.path() / "longer") == "done: episode limit of 8 reached (0)");
    CHECK(fs::exists(folder.path() / "longer/checkpoints/before_limit"));
    REQUIRE(resume_with(folder, "longer", {std::string(kEpisodes) + "15"}).status == 0);
    check_same_training(folder, "at_once", "longer");
    replay(folder, "longer", "again");
    check_same_training(folder, "at_once", "again");

    SUBCASE("and the checkpoint for that is gone when the training continues to its end") {
        REQUIRE(resume_with(folder, "longer", {std::string(kEpisodes) + "-1"}).status == 0);
        CHECK_FALSE(fs::exists(folder.path() / "longer/checkpoints/before_limit"));
        REQUIRE(folder.run("whole", options("-1")).status == 0);
        check_same_training(folder, "whole", "longer");
    }
    SUBCASE("a damaged one is refused") {
        std::ofstream(folder.path() / "longer/checkpoints/before_limit/weights.safetensors") << "x";
        const ProcessResult result = resume_with(folder, "longer", {std::string(kEpisodes) + "-1"});
        CHECK(result.status == 4);
        CHECK(without_folder(result.errors, folder.path()) ==
              "ptprun: error: the training cannot continue from where its limit ended it: "
              "FOLDER/longer/checkpoints/before_limit: the checkpoint is damaged:\n"
              "  weights.safetensors: has changed since it was written\n");
    }
}

TEST_CASE("resume --set: the online worker continues as if it had never ended") {
    const ExperimentFolder folder(
        {.training = "worker = \"online\"\n"
                     "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                     "scheduler = { type = \"ReduceLROnPlateau\", patience = 1 }\n"
                     "terminal_conditions = { episode_limit = 57, "
                     "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"});
    const std::vector<std::string> more = {"--set", "validation.partial_validation_interval=10"};
    REQUIRE(folder.run("at_once", more).status == 0);
    std::vector<std::string> shorter = more;
    shorter.insert(shorter.end(), {"--set", std::string(kEpisodes) + "33"});
    REQUIRE(folder.run("longer", shorter).status == 0);
    REQUIRE(resume_with(folder, "longer", {std::string(kEpisodes) + "57"}).status == 0);
    check_same_training(folder, "at_once", "longer");
}

TEST_CASE("resume --set: a run that stopped early continues with more patience") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"SGD\", lr = 0.0 }\n"
                                               "terminal_conditions = { epoch_limit = 9, "
                                               "early_stop_validations = 4 }\n"});
    REQUIRE(folder.run("at_once").status == 0);
    CHECK(status_in(folder.path() / "at_once") ==
          "done: stopped early: 4 validations without a lower loss (0)");
    const std::string patience = "training.terminal_conditions.early_stop_validations=";
    REQUIRE(folder.run("longer", {"--set", patience + "2"}).status == 0);
    CHECK(folder.read("longer/validation.csv") != folder.read("at_once/validation.csv"));
    REQUIRE(resume_with(folder, "longer", {patience + "4"}).status == 0);
    check_same_training(folder, "at_once", "longer");
}

TEST_CASE("resume --set: the learning rate and its schedule change from that episode on") {
    const ExperimentFolder folder(plain(1));
    REQUIRE(folder.run("run").status == 0);
    REQUIRE(resume_with(folder, "run", {std::string(kEpochs) + "2", "training.optimizer.lr=0.5"})
                .status == 0);
    // From the third epoch on 0.5 times 0.5 ^ (epoch - 2) / 2, where the third is 2.
    REQUIRE(resume_with(folder, "run",
                        {std::string(kEpochs) + "4",
                         "training.scheduler={ type = \"StepLR\", step_size = 2, gamma = 0.5 }"})
                .status == 0);
    std::vector<std::string> expected(6, "0.1");
    expected.insert(expected.end(), 6, "0.5");
    expected.insert(expected.end(), 12, "0.5");
    CHECK(rates(folder, "run") == expected);
    // A further resume continues with it.
    REQUIRE(resume_with(folder, "run", {std::string(kEpochs) + "5"}).status == 0);
    expected.insert(expected.end(), 6, "0.25");
    CHECK(rates(folder, "run") == expected);
    replay(folder, "run", "again");
    check_same_training(folder, "run", "again");
}

TEST_CASE("resume --set: a cycle over the whole training changes with its end, and it is said") {
    for (const auto& [type, length] :
         {std::pair("OneCycleLR", "total_episodes"), std::pair("CosineAnnealingLR", "T_max")}) {
        CAPTURE(type);
        const ExperimentFolder folder(
            plain(2, fmt::format("scheduler = {{ type = \"{}\" }}\n", type)));
        REQUIRE(folder.run("run").status == 0);
        const ProcessResult result = resume_with(folder, "run", {std::string(kEpochs) + "4"});
        CHECK(result.status == 0);
        CHECK(
            without_excerpts(result.errors) ==
            fmt::format("--set: warning: training.scheduler.{}: {} spans the whole training: from "
                        "here on the learning rates follow a schedule to the new end, unlike the "
                        "rates so far\n",
                        length, type));
        replay(folder, "run", "again");
        check_same_training(folder, "run", "again");
    }
}

TEST_CASE("resume --set: records and loaders may change, and change no bit") {
    const ExperimentFolder folder(plain(3));
    REQUIRE(folder.run("at_once").status == 0);
    REQUIRE(folder.run("longer", {"--set", std::string(kEpochs) + "2"}).status == 0);
    REQUIRE(resume_with(
                folder, "longer",
                {std::string(kEpochs) + "3", "records.json_lines.every_episodes=2",
                 "checkpoint.keep=4", "training.dataloader.num_workers=0", "swap.rehearse=\"off\""})
                .status == 0);
    for (const char* file :
         {"training.csv", "validation.csv", "test.csv", "checkpoints/last/weights.safetensors",
          "checkpoints/last/training.safetensors"}) {
        CAPTURE(file);
        CHECK((folder.read(fs::path("at_once") / file) == folder.read(fs::path("longer") / file)));
    }
    CHECK(folder.has("longer/statistics.jsonl"));
    CHECK(folder.read("longer/experiment.toml").find("every_episodes = 2") != std::string::npos);
}

TEST_CASE(
    "resume --set: the momentum of a cycle is the experiment's again under another schedule") {
    const ExperimentFolder folder({.training =
                                       "optimizer = { type = \"SGD\", lr = 0.1, momentum = 0.3 }\n"
                                       "scheduler = { type = \"OneCycleLR\" }\n"
                                       "terminal_conditions = { epoch_limit = 1 }\n"});
    REQUIRE(folder.run("run").status == 0);
    CHECK(folder.read("run/checkpoints/last/training.toml").find("momentum = 0.3\n") ==
          std::string::npos);
    REQUIRE(resume_with(folder, "run",
                        {std::string(kEpochs) + "2",
                         "training.scheduler={ type = \"StepLR\", step_size = 1 }"})
                .status == 0);
    CHECK(folder.read("run/checkpoints/last/training.toml").find("momentum = 0.3\n") !=
          std::string::npos);
}

TEST_CASE("resume --set: a change before one that is still to come is refused") {
    const ExperimentFolder folder(plain(1));
    const std::vector<std::string> options = {"--set", "checkpoint.every_episodes=3", "--set",
                                              "checkpoint.keep=9"};
    REQUIRE(folder.run("run", options).status == 0);
    REQUIRE(resume_with(folder, "run", {std::string(kEpochs) + "2"}).status == 0);
    for (const char* name : {"6", "9", "12"}) {
        const std::string number = std::string(10 - std::string(name).size(), '0') + name;
        std::ofstream(folder.path() / "run/checkpoints" / ("episode_" + number) /
                      "weights.safetensors")
            << "x";
    }
    const ProcessResult result = resume_with(folder, "run", {std::string(kEpochs) + "3"});
    CHECK(result.status == 4);
    CHECK(without_folder(ptp::test::without_warnings(result.errors, "the checkpoint is damaged"),
                         folder.path()) ==
          "ptprun: error: cannot continue from FOLDER/run/checkpoints/episode_0000000003: the run "
          "continues after episode 3, and its journal changes the experiment after episode 6: "
          "resume it without --set until then\n");
    REQUIRE(resume_with(folder, "run", {}).status == 0);
    CHECK(status_in(folder.path() / "run") == "done: epoch limit of 2 reached (0)");
}

TEST_CASE("resume --checkpoint best --set: changes that were made later are given up") {
    const ExperimentFolder folder(plain(1));
    REQUIRE(
        folder.run("run", {"--set", "checkpoint.every_episodes=3", "--set", "checkpoint.keep=9"})
            .status == 0);
    REQUIRE(resume_with(folder, "run", {std::string(kEpochs) + "2"}).status == 0);
    REQUIRE(resume_with(folder, "run", {std::string(kEpochs) + "3", "training.optimizer.lr=0.5"})
                .status == 0);
    const fs::path run = folder.path() / "run";
    fs::remove(run / "checkpoints/best");
    fs::create_directory_symlink("episode_0000000003", run / "checkpoints/best");
    const ProcessResult result = run_program(
        "ptprun",
        {"resume", run.string(), "--checkpoint", "best", "--set", "training.optimizer.lr=0.001"});
    CHECK(result.status == 0);
    CHECK(without_folder(result.output, folder.path())
              .find("continuing after episode 3, from FOLDER/run/checkpoints/episode_0000000003; "
                    "episodes 4 to 18 were given up\nfrom episode 3 on: training.optimizer.lr = "
                    "0.001\n") != std::string::npos);
    CHECK(folder.read("run/journal.jsonl")
              .starts_with(
                  "{\"format\":2,\"number\":1,\"episode\":3,\"command\":\"set\",\"arguments\":"
                  "{\"values\":[\"training.optimizer.lr=0.001\"]}"));
    CHECK(folder.read("run/journal.jsonl").find('\n') ==
          folder.read("run/journal.jsonl").size() - 1);
    CHECK(resume_with(folder, "run", {std::string(kEpochs) + "4"}).status == 0);
    replay(folder, "run", "again");
    check_same_training(folder, "run", "again");
}

}  // namespace resume_change_test
