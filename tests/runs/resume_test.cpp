// A run that was interrupted and continues ends with the bits of one that was not.

#include "run/events.hpp"
#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace resume_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

void flip_last_byte(const fs::path& file) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(-1, std::ios::end);
    const char last = static_cast<char>(stream.get());
    stream.seekp(-1, std::ios::end);
    stream.put(static_cast<char>(~last));
}

}  // namespace

TEST_CASE("resume: kills at random moments change no bit of the results") {
    const ExperimentFolder folder(stateful(30));
    check_kills(folder, 4);
}

TEST_CASE("resume: nor do they where the learning rate follows the validations") {
    const ExperimentFolder folder(stateful_on_plateau(30));
    check_kills(folder, 3);
}

TEST_CASE("resume: a run that a signal stopped continues, with a partial validation due") {
    const ExperimentFolder folder(stateful(40));
    const std::vector<std::string> more = {"--set", "validation.partial_validation_interval=2"};
    REQUIRE(folder.run("undisturbed", more).status == 0);
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder("stopped"), "--verbose"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    TrainingProcess process(arguments);
    REQUIRE(process.wait_for_lines("partial_validation  ", 5));
    REQUIRE(process.end_with(SIGTERM) == 143);
    CHECK(status_in(folder.path() / "stopped") == "stopped: SIGTERM (143)");
    const ProcessResult result = resume(folder, "stopped");
    require_success(result);
    CHECK(result.output.find("continuing after ") != std::string::npos);
    for (const char* file :
         {"training.csv", "validation.csv", "partial_validation.csv", "training_epochs.csv",
          "test.csv", "checkpoints/last/training.safetensors", "checkpoints/last/training.toml"}) {
        CAPTURE(file);
        CHECK((folder.read(fs::path("undisturbed") / file) ==
               folder.read(fs::path("stopped") / file)));
    }
    const auto events = ptp::run::read_events(folder.path() / "stopped/events.jsonl");
    REQUIRE(events.size() == 1);
    CHECK(events[0].event == "resume");
    CHECK(events[0].episode > 0);
}

TEST_CASE("resume: the online worker continues as well") {
    const ExperimentFolder folder(
        {.training = "worker = \"online\"\n"
                     "optimizer = { type = \"SGD\", lr = 0.1 }\n"
                     "scheduler = { type = \"OneCycleLR\" }\n"
                     "terminal_conditions = { episode_limit = 130, "
                     "early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"});
    const std::vector<std::string> more = {"--set", "validation.partial_validation_interval=10"};
    REQUIRE(folder.run("undisturbed", more).status == 0);
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder("killed"), "--verbose"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    TrainingProcess process(arguments);
    REQUIRE(process.wait_for_lines("partial_validation  ", 2));
    process.end_with(SIGKILL);
    REQUIRE(resume(folder, "killed").status == 0);
    check_same_results(folder, "undisturbed", "killed");
    CHECK(folder.read("killed/partial_validation.csv").find("\n129,1,22,") != std::string::npos);
    CHECK(status_in(folder.path() / "killed") == "done: episode limit of 130 reached (0)");
}

TEST_CASE("resume: a trial without checkpoints stays as it is, and the training is named") {
    const ExperimentFolder folder(stateful(1));
    REQUIRE(folder.run("run", {"--fast-dev-run", "--seed", "3"}).status == 0);
    const std::string why =
        "FOLDER/run was a fast development run, which keeps no checkpoints\n"
        "    fix: train first: ptprun FOLDER/experiment.toml --seed 3\n";
    CHECK(without_folder(resume(folder, "run").output, folder.path()) ==
          "the run in FOLDER/run is done; there is nothing to resume\n" + why);
    const std::string run = folder.run_folder("run");
    const std::string status = folder.read("run/status.json");
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"resume", run, "--set", "training.terminal_conditions.epoch_limit=3"},
             {"resume", run, "--checkpoint", "last"}}) {
        const ProcessResult result = ptp::test::run_program("ptprun", words);
        CHECK(result.status == 2);
        CHECK(without_folder(result.errors, folder.path()) == "ptprun: error: " + why);
    }
    const ProcessResult processed = ptp::test::run_program("ptprun", {"process", run});
    CHECK(without_folder(processed.errors, folder.path()) ==
          "ptprun: error: " + why + "    help: ptprun help process\n");
    CHECK(without_folder(ptp::test::run_program("ptprun", {run}).errors, folder.path()) ==
          "ptprun: error: FOLDER/run is the folder of a run (done), not an experiment; it has no "
          "checkpoints, and can be trained from scratch\n"
          "    fix: ptprun FOLDER/run/experiment.toml\n");
    CHECK(folder.read("run/status.json") == status);
}

TEST_CASE("resume: a run whose checkpoints were removed is trained from scratch") {
    const ExperimentFolder folder(stateful(1));
    REQUIRE(folder.run("run").status == 0);
    std::filesystem::remove_all(folder.path() / "run/checkpoints");
    const std::string status = folder.read("run/status.json");
    const ProcessResult result =
        ptp::test::run_program("ptprun", {"resume", folder.run_folder("run"), "--set",
                                          "training.terminal_conditions.epoch_limit=3"});
    CHECK(result.status == 2);
    CHECK(
        without_folder(result.errors, folder.path()) ==
        "ptprun: error: FOLDER/run has no checkpoints; it is done: epoch limit of 1 reached; it can be "
        "trained again\n"
        "    fix: ptprun FOLDER/run/experiment.toml\n");
    CHECK(folder.read("run/status.json") == status);
}

TEST_CASE("resume: a run that is done says so") {
    const ExperimentFolder folder(stateful(1));
    REQUIRE(folder.run("run").status == 0);
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 0);
    CHECK(without_folder(result.output, folder.path()) ==
          "the run in FOLDER/run is done; there is nothing to resume\n"
          "to train it longer: ptprun resume FOLDER/run --set "
          "training.terminal_conditions.epoch_limit=2\n");
    const ProcessResult events =
        ptp::test::run_program("ptprun", {"resume", folder.run_folder("run"), "--json"});
    CHECK(events.status == 0);
    CHECK(events.output ==
          "{\"event\":\"end\",\"state\":\"done\",\"reason\":\"epoch limit of 1 reached\","
          "\"exit_code\":0}\n");
}

TEST_CASE("resume: a damaged checkpoint is named, and the last good one is taken") {
    const ExperimentFolder folder(stateful(3));
    REQUIRE(folder.run("undisturbed", often()).status == 0);
    REQUIRE(folder.run("run", often()).status == 0);
    fs::remove(folder.path() / "run" / "status.json");  // as if it had not come to its end
    flip_last_byte(folder.path() / "run" / "checkpoints" / "last" / "weights.safetensors");
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 0);
    const std::string output = without_folder(result.output + result.errors, folder.path());
    CHECK(output.find("FOLDER/run/checkpoints/episode_0000000018: the checkpoint is damaged:\n"
                      "  weights.safetensors: has changed since it was written\n") !=
          std::string::npos);
    CHECK(output.find("warning: FOLDER/run/checkpoints/episode_0000000018 is kept as "
                      "episode_0000000018.damaged, for you to look at or to remove\n") !=
          std::string::npos);
    CHECK(output.find("continuing after episode 15, from "
                      "FOLDER/run/checkpoints/episode_0000000015\n") != std::string::npos);
    CHECK(output.find("18 episodes, 3 of them in ") != std::string::npos);
    check_same_results(folder, "undisturbed", "run");
}

TEST_CASE("resume: where no checkpoint is whole the run is refused, and keeps its rows") {
    const ExperimentFolder folder(stateful(2));
    REQUIRE(folder.run("run").status == 0);
    fs::remove(folder.path() / "run" / "status.json");
    const std::string rows = folder.read("run/training.csv");
    std::string damages;
    for (const char* name : {"episode_0000000012", "episode_0000000006"}) {
        flip_last_byte(folder.path() / "run" / "checkpoints" / name / "weights.safetensors");
        damages += std::string("    FOLDER/run/checkpoints/") + name +
                   ": the checkpoint is damaged:\n"
                   "  weights.safetensors: has changed since it was written\n";
    }
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 4);
    CHECK(
        without_folder(result.errors, folder.path()) ==
        "ptprun: error: FOLDER/run: the run cannot continue: none of its checkpoints is whole; put "
        "one back, or begin a new run: ptprun FOLDER/run/experiment.toml\n" +
            damages);
    CHECK(folder.read("run/training.csv") == rows);
}

TEST_CASE("resume: a run that never had a checkpoint begins again, and warns of it") {
    const ExperimentFolder folder(stateful(2));
    REQUIRE(folder.run("run").status == 0);
    const std::string rows = folder.read("run/training.csv");
    fs::remove(folder.path() / "run" / "status.json");
    fs::remove_all(folder.path() / "run" / "checkpoints");
    fs::create_directory(folder.path() / "run" / "checkpoints");
    const ProcessResult result = ptp::test::ptprun({"resume", folder.run_folder("run"), "--quiet"});
    CHECK(result.status == 0);
    CHECK(
        result.errors.find(
            "warning: the run has no checkpoint: it begins again with its first episode, and its tables are replaced\n") !=
        std::string::npos);
    CHECK(folder.read("run/training.csv") == rows);
}

TEST_CASE("resume: a kill before a checkpoint got its names changes nothing") {
    const ExperimentFolder folder(stateful(3));
    REQUIRE(folder.run("undisturbed", often()).status == 0);
    REQUIRE(folder.run("run", often()).status == 0);
    const fs::path checkpoints = folder.path() / "run" / "checkpoints";
    fs::remove(folder.path() / "run" / "status.json");
    for (const char* name : {"last", "best"}) {
        fs::remove(checkpoints / name);
        fs::create_directory_symlink("episode_0000000015", checkpoints / name);
    }
    fs::create_directory(checkpoints / "episode_0000000012.old");
    REQUIRE(resume(folder, "run").status == 0);
    check_same_results(folder, "undisturbed", "run");
    CHECK(fs::read_symlink(checkpoints / "best") ==
          fs::read_symlink(folder.path() / "undisturbed" / "checkpoints" / "best"));
    CHECK(fs::read_symlink(checkpoints / "last") == "episode_0000000018");
}

TEST_CASE("resume: an experiment that was changed is refused") {
    const ExperimentFolder folder(stateful(2));
    REQUIRE(folder.run("run").status == 0);
    fs::remove(folder.path() / "run" / "status.json");
    std::ofstream(folder.path() / "run" / "experiment.toml", std::ios::app) << "\n";
    const ProcessResult result = resume(folder, "run");
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path()) ==
          "ptprun: error: FOLDER/run/experiment.toml has changed since the run began; a run "
          "continues as it began\n");
}

TEST_CASE("resume: files that are not files are refused, not waited for") {
    const ExperimentFolder folder(stateful(2));
    REQUIRE(folder.run("run").status == 0);
    const fs::path run = folder.path() / "run";
    fs::remove(run / "status.json");
    REQUIRE(mkfifo((run / "status.json").c_str(), 0600) == 0);
    CHECK(resume(folder, "run").status == 0);

    fs::remove(run / "status.json");
    fs::rename(run / "training.csv", folder.path() / "elsewhere.csv");
    fs::create_symlink(folder.path() / "elsewhere.csv", run / "training.csv");
    const std::string before = folder.read("elsewhere.csv");
    const ProcessResult linked = resume(folder, "run");
    CHECK(linked.status == 4);
    CHECK(
        without_folder(linked.errors, folder.path()) ==
        "ptprun: error: FOLDER/run/training.csv is a link that leads out of the run folder; a run "
        "writes nowhere else\n    fix: if the run is to continue there, put what it leads to in "
        "its place; else remove it\n");
    CHECK(folder.read("elsewhere.csv") == before);
}

TEST_CASE("resume: other data than those of the checkpoint are refused, or accepted by name") {
    const ptp::test::TempFolder folder;
    const std::string run = (folder.path() / "run").string();
    const std::string table = "x,t\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n7,7\n8,8\n9,9\n10,10\n";
    folder.write("d.csv", table);
    const auto ptprun = [&](std::vector<std::string> arguments) {
        return ptp::test::ptprun(arguments);
    };
    const auto continued = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"resume", run, "--quiet"});
        return ptprun(more);
    };
    REQUIRE(ptprun({folder
                        .write("e.toml", R"(seed = 1
[training]
optimizer = { type = "SGD", lr = 0.001 }
terminal_conditions = { epoch_limit = 2 }
task = { type = "CsvTable", batch_size = 4, file = "d.csv", features = ["x"], values = ["t"] }
[pipeline.net]
type = "FeedForwardNetwork"
use_logsoftmax = false
globals = { prediction_size = 1 }
[pipeline.loss]
type = "MSELoss"
streams = { targets = "values" }
)")
                        .string(),
                    "--quiet", "--run-dir", run, "--stop-after", "1"})
                .status == 0);
    folder.write("d.csv", table + "11,11\n");
    const ProcessResult grown = continued({});
    CHECK(grown.status == 4);
    CHECK(grown.errors.find(
              "the data are not those of the checkpoint: [training] has 11 samples, had 10; the "
              "file of training.task.file has another content: samples of the epoch would be seen "
              "twice, or not at all") != std::string::npos);
    CHECK(grown.errors.find("--accept-other-data continues all the same") != std::string::npos);
    folder.write("d.csv", "x,t\n0" + table.substr(5));  // as many bytes, another number
    CHECK(continued({}).status == 4);
    // The cause comes before what the task says of it.
    folder.write("d.csv", table + "eleven,11\n");
    const ProcessResult wrong = continued({});
    CHECK(wrong.status == 4);
    CHECK(ptp::test::without_folder(wrong.errors, folder.path()) ==
          "ptprun: error: the data are not those of the checkpoint: the file of training.task.file "
          "has another content; with them: FOLDER/run/experiment.toml:10:1: the task of [training] "
          "(CsvTable): FOLDER/d.csv:12: the column 'x' has 'eleven', which is not a number\n"
          "    fix: restore the data; a new run begins with them from the first epoch\n");
    folder.write("d.csv", table);
    CHECK(continued({"--stop-after", "1"}).status == 0);
    folder.write("d.csv", table + "11,11\n");
    const ProcessResult accepted = continued({"--accept-other-data"});
    CHECK(accepted.status == 0);
    CHECK(accepted.errors.find("warning: the data are not those of the checkpoint: [training] has "
                               "11 samples, had 10") != std::string::npos);
}

TEST_CASE("resume: what cannot continue is refused in words") {
    const ExperimentFolder folder(stateful(1000000));
    const ProcessResult none = resume(folder, "nowhere");
    CHECK(none.status == 2);
    CHECK(without_folder(none.errors, folder.path()) ==
          "ptprun: error: FOLDER/nowhere: no such run\n    help: ptprun help resume\n");

    TrainingProcess process(folder, "run");
    REQUIRE(process.wait_for_lines("validation  ", 2));
    for (const ProcessResult& busy :
         {resume(folder, "run"),
          ptp::test::run_program("ptprun", {"replay", folder.run_folder("run"), "--run-dir",
                                            folder.run_folder("again")})}) {
        CHECK(busy.status == 2);
        CHECK(without_folder(busy.errors, folder.path()) ==
              "ptprun: error: the run in FOLDER/run is going on in another process\n"
              "    fix: wait for its end, or end it: ptprun control FOLDER/run stop\n");
    }
    CHECK_FALSE(folder.has("again"));
    process.end_with(SIGKILL);

    std::ofstream(folder.path() / "run" / "training.csv") << "";
    const ProcessResult shorter = resume(folder, "run");
    CHECK(shorter.status == 4);
    CHECK(shorter.errors.find("training.csv: it has 0 bytes, had ") != std::string::npos);
}

}  // namespace resume_test
