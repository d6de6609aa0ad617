// `ptprun resume` where a run is beyond what it is asked for, and where it has diverged.

#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace resume_limits_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kEpochs = "training.terminal_conditions.epoch_limit=";
constexpr const char* kEpisodes = "training.terminal_conditions.episode_limit=";

ProcessResult resume(const ExperimentFolder& folder, const std::string& name,
                     const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"resume", folder.run_folder(name)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return ptprun(arguments);
}

// All files of a run, with what is in them.
std::map<std::string, std::string> content_of(const ExperimentFolder& folder,
                                              const std::string& name) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path() / name)) {
        if (entry.is_regular_file()) {
            const fs::path file = fs::relative(entry.path(), folder.path());
            files[file.string()] = folder.read(file);
        }
    }
    return files;
}

// What it says; nothing of the run has changed.
std::string refusal(const ExperimentFolder& folder, const std::vector<std::string>& options,
                    int status) {
    const auto before = content_of(folder, "run");
    const ProcessResult result = resume(folder, "run", options);
    CHECK(result.status == status);
    CHECK((content_of(folder, "run") == before));
    return without_folder(result.errors, folder.path());
}

// With epochs of 6 episodes, and checkpoints every 2.
void train(const ExperimentFolder& folder, const std::string& limit) {
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                              "terminal_conditions = { epoch_limit = 9, early_stop_validations = "
                              "0, loss_stop_threshold = 0.0 }\n"});
    REQUIRE(folder
                .run("run", {"--set", "checkpoint.every_episodes=2", "--set",
                             "training.terminal_conditions." + limit})
                .status == 0);
}

// The learning rate grows tenfold and more with each epoch: a good start, and then none.
void diverge(const ExperimentFolder& folder) {
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                              "scheduler = { type = \"ExponentialLR\", gamma = 1e6 }\n"
                              "terminal_conditions = { epoch_limit = 9, early_stop_validations = "
                              "0 }\n"});
    const ProcessResult result = folder.run("run");
    REQUIRE(result.status == 6);
    REQUIRE(result.errors.starts_with("ptprun: error: the training has diverged: its loss is "));
}

}  // namespace

TEST_CASE("resume: a limit of epochs below those that are done is refused with both numbers") {
    const ExperimentFolder folder;
    train(folder, "epoch_limit=3");
    CHECK(
        refusal(folder, {"--set", std::string(kEpochs) + "2"}, 2) ==
        "--set: error: training.terminal_conditions.epoch_limit: 2 is below the 3 epochs that the "
        "run has done\n"
        "    fix: --set training.terminal_conditions.epoch_limit=N with N of 4 or more\n");
    CHECK(refusal(folder, {"--set", std::string(kEpisodes) + "17"}, 2) ==
          "--set: error: training.terminal_conditions.episode_limit: 17 is below the 18 episodes "
          "that the run has done\n"
          "    fix: --set training.terminal_conditions.episode_limit=N with N of 19 or more\n");
    CHECK(refusal(folder, {"--set", "training.optimizer.lr=0.5"}, 2) ==
          "--set: error: no episode would be trained with it: the run has reached its epoch_limit "
          "of 3\n    fix: add --set training.terminal_conditions.epoch_limit=6\n");
    CHECK(refusal(folder, {"--set", "training.terminal_conditions.early_stop_validations=9"}, 2) ==
          "--set: error: no episode would be trained with it: the run has reached its epoch_limit "
          "of 3\n    fix: add --set training.terminal_conditions.epoch_limit=6\n");
    CHECK(resume(folder, "run", {"--set", std::string(kEpochs) + "4"}).status == 0);
    CHECK(status_in(folder.path() / "run") == "done: epoch limit of 4 reached (0)");
}

TEST_CASE("resume: within an epoch the least limit of epochs is the one that has begun") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 0.1 }\nterminal_conditions = { "
                     "epoch_limit = 100000, "
                     "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"});
    {
        ptp::test::TrainingProcess process({(folder.path() / "experiment.toml").string(),
                                            "--run-dir", folder.run_folder("run"), "--set",
                                            "checkpoint.every_episodes=2", "--paused"});
        while (ptprun({"control", folder.run_folder("run"), "status"}).status != 0) {
            REQUIRE(process.read_for(20));
        }
        REQUIRE(ptprun({"control", folder.run_folder("run"), "continue", "8"}).status == 0);
        while (ptprun({"control", folder.run_folder("run"), "status", "--json"})
                   .output.find("\"state\":\"paused\"") == std::string::npos) {
            REQUIRE(process.read_for(20));
        }
        REQUIRE(process.end_with(SIGTERM) == 128 + SIGTERM);
    }
    CHECK(refusal(folder, {"--set", std::string(kEpochs) + "1"}, 2) ==
          "--set: error: training.terminal_conditions.epoch_limit: 1 is below the 1 epoch and 2 "
          "episodes that the run has done\n"
          "    fix: --set training.terminal_conditions.epoch_limit=N with N of 2 or more\n");
    REQUIRE(resume(folder, "run", {"--set", std::string(kEpochs) + "2"}).status == 0);
    CHECK(status_in(folder.path() / "run") == "done: epoch limit of 2 reached (0)");
}

TEST_CASE("resume: a limit of what is done ends the run there") {
    const ExperimentFolder folder;
    train(folder, "epoch_limit=3");
    REQUIRE(resume(folder, "run",
                   {"--set", std::string(kEpochs) + "9", "--set", std::string(kEpisodes) + "18"})
                .status == 0);
    CHECK(status_in(folder.path() / "run") == "done: episode limit of 18 reached (0)");
}

TEST_CASE("resume: the condition that ended a run is the one that is changed to train longer") {
    const auto ending = [](const std::string& conditions, const std::string& rate) {
        return Lines{.training = "optimizer = { type = \"SGD\", lr = " + rate +
                                 " }\nterminal_conditions = { " + conditions + " }\n"};
    };
    // Returns what is advised, and follows it.
    const auto longer = [](const ExperimentFolder& folder, const std::string& reached) {
        REQUIRE(folder.run("run").status == 0);
        const std::string said = without_folder(resume(folder, "run", {}).output, folder.path());
        const std::string start =
            "the run in FOLDER/run is done; there is nothing to resume\n"
            "to train it longer: ptprun resume FOLDER/run ";
        REQUIRE(said.starts_with(start));
        const std::string options = said.substr(start.size(), said.size() - start.size() - 1);
        CHECK(refusal(folder, {"--set", "training.optimizer.lr=1e-10"}, 2) ==
              "--set: error: no episode would be trained with it: the run has reached " + reached +
                  "\n    fix: add " + options + "\n");
        std::vector<std::string> words;
        std::istringstream text(options);
        for (std::string word; text >> word;) {
            words.push_back(word);
        }
        const std::string rows = folder.read("run/training.csv");
        CHECK(resume(folder, "run", words).status == 0);
        CHECK(folder.read("run/training.csv").size() > rows.size());
        return options;
    };
    const std::string set = "--set training.terminal_conditions.";
    const ExperimentFolder early(ending("epoch_limit = 9, early_stop_validations = 2", "1e-20"));
    CHECK(longer(early, "its early_stop_validations of 2") == set + "early_stop_validations=4");
    CHECK(status_in(early.path() / "run") ==
          "done: stopped early: 4 validations without a lower loss (0)");
    const ExperimentFolder both(ending("epoch_limit = 3, early_stop_validations = 2", "1e-20"));
    CHECK(longer(both, "its early_stop_validations of 2 and its epoch_limit of 3") ==
          set + "early_stop_validations=4 " + set + "epoch_limit=6");
    const ExperimentFolder cut(ending("epoch_limit = 1, episode_limit = 4", "0.1"));
    CHECK(longer(cut, "its episode_limit of 4") == set + "episode_limit=8");
    const ExperimentFolder timed(
        ending("epoch_limit = 1000000, loss_stop_threshold = 0.0, wall_time = \"1s\"", "1e-9"));
    CHECK(longer(timed, "its wall_time of 1s").starts_with(set + "wall_time="));
}

TEST_CASE("resume: a run that diverged before its first good validation has no best weights") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 1e5 }\n"
                     "terminal_conditions = { epoch_limit = 9, early_stop_validations = 0 }\n"});
    REQUIRE(folder.run("run").status == 6);
    const std::string reason = std::regex_replace(status_in(folder.path() / "run"),
                                                  std::regex("failed: (.*) \\(6\\)"), "$1");
    const ProcessResult result =
        ptprun({"predict", folder.run_folder("run"), "--data", "training"});
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path())
              .starts_with("ptprun: error: FOLDER/run: the run has no best weights: " + reason +
                           "; the last weights are there\n    fix: "));
    CHECK(result.errors.find("--checkpoint last") != std::string::npos);
}

TEST_CASE("resume: a run that was stopped in its first epoch has last weights, which say so") {
    const ExperimentFolder folder;
    folder.write();
    const std::string run = folder.run_folder("run");
    ptp::test::TrainingProcess paused(
        {(folder.path() / "experiment.toml").string(), "--run-dir", run, "--paused"});
    REQUIRE(paused.wait_for_lines("paused after", 1));
    REQUIRE(paused.end_with(SIGINT) == 130);
    const ProcessResult best = ptprun({"predict", run, "--data", "test"});
    CHECK(best.status == 2);
    CHECK(without_folder(best.errors, folder.path()) ==
          "ptprun: error: FOLDER/run: the run has no best weights: it was stopped in epoch 1, and "
          "nothing was measured before; the last weights are there\n"
          "    fix: ptprun predict FOLDER/run --data test --checkpoint last\n"
          "    help: ptprun help predict\n");
    const ProcessResult last = ptprun({"predict", run, "--data", "test", "--checkpoint", "last"});
    CHECK(last.status == 0);
    CHECK(without_folder(last.errors, folder.path())
              .starts_with("weights of FOLDER/run, before the end of its first epoch (last)\n"));
}

TEST_CASE("resume: a diverged run is not gone on with in vain") {
    const ExperimentFolder folder;
    diverge(folder);
    const std::string reason = std::regex_replace(status_in(folder.path() / "run"),
                                                  std::regex("failed: (.*) \\(6\\)"), "$1");
    const std::string text =
        "ptprun: error: " + reason +
        "; continue from its best weights, after episode 6, with a lower rate, or train on as it is\n"
        "    fix: ptprun resume FOLDER/run --checkpoint best --set training.optimizer.lr=";
    const std::string on =
        "\n         ptprun resume FOLDER/run --set training.terminal_conditions.divergence_factor=0\n";
    CHECK(refusal(folder, {}, 6) == text + "0.01" + on);
    CHECK(refusal(folder, {"--set", "training.optimizer.lr=0.002"}, 2) == text + "0.002" + on);
    const ProcessResult events = resume(folder, "run", {"--json"});
    CHECK(events.status == 6);
    CHECK(events.output ==
          R"({"event":"end","state":"failed","reason":")" + reason + R"(","exit_code":6})" + "\n");

    // What diverged means is the experiment's to say.
    REQUIRE(resume(folder, "run",
                   {"--set", "training.terminal_conditions.divergence_factor=0", "--set",
                    std::string(kEpochs) + "5"})
                .status != 2);
    CHECK(folder.read("run/run.log").find("continuing after episode 24") != std::string::npos);
}

TEST_CASE("resume: from its best checkpoint a diverged run continues with a lower learning rate") {
    const ExperimentFolder folder;
    diverge(folder);
    const ProcessResult result =
        resume(folder, "run",
               {"--checkpoint", "best", "--set", "training.optimizer.lr=0.01", "--set",
                "training.scheduler={ type = \"StepLR\", step_size = 2 }", "--set",
                std::string(kEpochs) + "3"});
    CAPTURE(result.errors);
    REQUIRE(result.status == 0);
    CHECK(status_in(folder.path() / "run") == "done: epoch limit of 3 reached (0)");
    CHECK(folder.read("run/run.log").find("continuing after episode 6, from ") !=
          std::string::npos);
    CHECK(folder.read("run/journal.jsonl")
              .starts_with(R"({"format":2,"number":1,"episode":6,"command":"set")"));
    CHECK(folder.has("run/checkpoints/episode_0000000024.given_up"));

    REQUIRE(ptprun({"replay", folder.run_folder("run"), "--run-dir", folder.run_folder("again")})
                .status == 0);
    for (const char* file :
         {"training.csv", "validation.csv", "test.csv", "checkpoints/last/weights.safetensors",
          "checkpoints/last/training.safetensors", "checkpoints/best/weights.safetensors"}) {
        CAPTURE(file);
        CHECK((folder.read(fs::path("run") / file) == folder.read(fs::path("again") / file)));
    }
}

TEST_CASE("resume: the best checkpoint is taken only for something new") {
    const ExperimentFolder folder;
    train(folder, "epoch_limit=1");
    CHECK(
        refusal(folder, {"--checkpoint", "best"}, 2) ==
        "ptprun: error: --checkpoint best: the training would only come to the same again, unless "
        "--set or --plugins changes something: begin a new training with its weights, train its "
        "run longer or predict\n"
        "    fix: ptprun FOLDER/run/experiment.toml --set "
        "'pipeline.load=\"FOLDER/run/checkpoints/best\"'\n"
        "         ptprun resume FOLDER/run --set training.terminal_conditions.epoch_limit=2\n"
        "         ptprun predict FOLDER/run --data FILES\n    help: ptprun help resume\n");
    // Each works as it is typed.
    const std::string run = folder.run_folder("run");
    CHECK(ptprun({folder.run_folder("run/experiment.toml"), "--set",
                  "pipeline.load=\"" + run + "/checkpoints/best\"", "--run-dir",
                  folder.run_folder("begun")})
              .status == 0);
    CHECK(ptprun({"predict", run, "--data", "training"}).status == 0);
    CHECK(
        refusal(folder, {"--checkpoint", "first"}, 2) ==
        "ptprun: error: --checkpoint first: must be best or last\n    help: ptprun help resume\n");
    fs::remove(folder.path() / "run/checkpoints/best");
    CHECK(refusal(folder, {"--checkpoint", "best", "--set", "training.optimizer.lr=0.01"}, 2) ==
          "ptprun: error: --checkpoint best: FOLDER/run has none\n    help: ptprun help resume\n");
}

TEST_CASE("resume: the folder of a checkpoint in place of its run is answered with commands") {
    const ExperimentFolder folder;
    train(folder, "epoch_limit=1");
    const auto answer = [&](const std::string& name, const std::vector<std::string>& more = {}) {
        std::vector<std::string> words = {"resume", folder.run_folder("run/checkpoints/" + name)};
        words.insert(words.end(), more.begin(), more.end());
        const ProcessResult result = ptprun(words);
        CHECK(result.status == 2);
        return without_folder(result.errors, folder.path());
    };
    const auto uses = [](const std::string& name, const std::string& option) {
        return "ptprun: error: FOLDER/run/checkpoints/" + name +
               " is a checkpoint of the run FOLDER/run: begin a new training with its weights, train "
               "its run longer or predict\n"
               "    fix: ptprun FOLDER/run/experiment.toml --set "
               "'pipeline.load=\"FOLDER/run/checkpoints/" +
               name +
               "\"'\n"
               "         ptprun resume FOLDER/run --set training.terminal_conditions.epoch_limit=2\n"
               "         ptprun predict FOLDER/run" +
               option + " --data FILES\n    help: ptprun help resume\n";
    };
    CHECK(answer("best") == uses("best", ""));
    CHECK(answer("best/") == uses("best", ""));
    const std::string other =
        fs::read_symlink(folder.path() / "run/checkpoints/last").filename().string();
    CHECK(answer(other) == uses(other, " --checkpoint FOLDER/run/checkpoints/" + other));
    const std::string of =
        " is a checkpoint of the run FOLDER/run\n    fix: ptprun resume FOLDER/run";
    const std::string help = "\n    help: ptprun help resume\n";
    CHECK(answer("last") == "ptprun: error: FOLDER/run/checkpoints/last" + of + help);
    CHECK(answer("best", {"--set", "training.optimizer.lr=0.01", "--quiet"}) ==
          "ptprun: error: FOLDER/run/checkpoints/best" + of +
              " --checkpoint best --set training.optimizer.lr=0.01 --quiet" + help);
    for (const char* name : {"best", "best/"}) {
        const std::string named = folder.run_folder(std::string("run/checkpoints/") + name);
        CHECK(without_folder(ptprun({"predict", named, "--data", "training"}).errors,
                             folder.path()) ==
              "ptprun: error: FOLDER/run/checkpoints/best is a checkpoint of the run FOLDER/run\n"
              "    fix: write FOLDER/run --checkpoint best in its place\n"
              "    help: ptprun help predict\n");
    }
}

TEST_CASE("resume --set: a record that was changed by hand is refused, before and after a change") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                     "terminal_conditions = { epoch_limit = 1, early_stop_validations = "
                     "0, loss_stop_threshold = 0.0 }\n"});
    REQUIRE(folder.run("run").status == 0);
    REQUIRE(resume(folder, "run", {"--set", std::string(kEpochs) + "2"}).status == 0);
    const std::string text = folder.read("run/experiment.toml");
    std::ofstream(folder.path() / "run/experiment.toml")
        << std::regex_replace(text, std::regex("epoch_limit = 2"), "epoch_limit = 7");
    const ProcessResult derived = resume(folder, "run", {"--set", std::string(kEpochs) + "3"});
    CHECK(derived.status == 2);
    CHECK(
        without_folder(derived.errors, folder.path()) ==
        "FOLDER/run/experiment.toml: error: has changed since the run wrote it; a run continues as "
        "it began, but for what resume --set changes\n");
    std::ofstream(folder.path() / "run/experiment.toml") << text;
    std::ofstream(folder.path() / "run/experiment_at_start.toml", std::ios::app) << "\n";
    const ProcessResult first = resume(folder, "run", {"--set", std::string(kEpochs) + "3"});
    CHECK(first.status == 2);
    CHECK(without_folder(first.errors, folder.path()) ==
          "ptprun: error: FOLDER/run/experiment_at_start.toml has changed since the run began; a "
          "run continues as it began\n");
}

}  // namespace resume_limits_test
