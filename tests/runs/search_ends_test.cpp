// `ptprun search`: what becomes of trials that fail, are killed or are stopped.

#include "runs/search_support.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <sys/types.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace search_ends_test {

namespace {

using nlohmann::json;
using namespace ptp::test;
using Strings = std::vector<std::string>;
namespace fs = std::filesystem;

// Of two epochs; the process of the second rank comes to its end in the second one.
void write_mortal(const ExperimentFolder& folder, const std::string& end) {
    folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                              "terminal_conditions = { epoch_limit = 2 }\n",
                  .pipeline = "[pipeline.mortal]\ntype = \"Mortal\"\nepisode = 7\nrank = 1\n"
                              "end = \"" +
                              end + "\"\nstreams = { inputs = \"features\", outputs = \"more\" }\n",
                  .source = "more",
                  .has_test = false});
}

// Trains until something ends it.
constexpr const char* kLong =
    "optimizer = { type = \"Adam\", lr = 0.05 }\n"
    "terminal_conditions = { epoch_limit = 1000000, early_stop_validations = 0, "
    "loss_stop_threshold = 0.0 }\n";

Strings long_search(const ExperimentFolder& folder, const std::string& name) {
    return worker_words(
        folder, name,
        {"--trials", "1", "--halving", "0", "--space", "training.optimizer.lr=choice:0.05"});
}

// The process that trains a trial, once there is another one than `before`.
pid_t process_of(TrainingProcess& worker, const ExperimentFolder& folder, const std::string& trial,
                 pid_t before) {
    while (worker.read_for(20)) {
        const json status = folder.has(trial + "/status.json")
                                ? json::parse(folder.read(trial + "/status.json"), nullptr, false)
                                : json();
        if (status.is_object() && status["state"] == "running" && status["pid"] != before &&
            status["epoch"] > 0) {
            return status["pid"];
        }
    }
    FAIL("the worker has ended");
    return 0;
}

}  // namespace

TEST_CASE("search: a signal while a trial starts ends no trial") {
    for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGHUP}) {
        CAPTURE(signal);
        const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
        TrainingProcess worker(worker_words(folder, "search"));
        CHECK(worker.wait_for_lines("begins", 1));
        // Batch systems send SIGUSR1 before SIGTERM, and mean the same.
        CHECK(worker.end_with(signal) == 128 + (signal == SIGUSR1 ? SIGTERM : signal));
        CHECK(results_in(folder, "search").empty());
    }
}

TEST_CASE("search: a worker waits for the trials that another one trains, and prints how many") {
    const ExperimentFolder folder({.training = kLong, .has_test = false});
    const Strings words = worker_words(
        folder, "search",
        {"--trials", "2", "--halving", "2", "--space", "training.optimizer.lr=uniform:0.01,0.1"});
    TrainingProcess first(words);
    REQUIRE(first.wait_for_lines("begins", 1));
    TrainingProcess second(words);
    REQUIRE(second.wait_for_lines("begins", 1));
    TrainingProcess idle(words);
    CHECK(idle.wait_for_lines("waiting: 2 of 2 trials are with other processes", 1));
    CHECK(idle.end_with(SIGUSR1) == 128 + SIGTERM);  // as batch systems send it
    for (TrainingProcess* worker : {&first, &second}) {
        CHECK(worker->end_with(SIGTERM) == 128 + SIGTERM);
    }
}

TEST_CASE("search: where what continued has failed the exit code is its") {
    const ExperimentFolder folder;
    write_mortal(folder, "throw");
    const ProcessResult said =
        search(folder, "search",
               with_witness({"--trials", "2", "--halving", "2", "--nproc", "2", "--space",
                             "training.optimizer.lr=uniform:0.01,0.1"}));
    CHECK(said.status == 4);
    CHECK(std::regex_search(
        said.output, std::regex("\nall trials that continued have failed; the best of the others: "
                                "\\S+, loss [0-9.]+\nto train it again: ptprun ")));
}

TEST_CASE("search: two trials that are refused for one reason end it with the fix") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "width,c\n0,a\n1,b\n2,a\n3,b\n");
    const std::string task =
        "task = { type = \"Table\", file = \"t.csv\", batch_size = 2, features = [\"width\"], label = "
        "\"c\", classes = [\"a\", \"b\", \"a\"] }\n";
    const fs::path file =
        folder.write("e.toml",
                     "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.5 }\n"
                     "terminal_conditions = { epoch_limit = 2 }\n" +
                         task +
                         "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
                         "globals = { prediction_size = \"num_classes\" }\n"
                         "[pipeline.loss]\ntype = \"NLLLoss\"\n");
    const ProcessResult said = ptp::test::ptprun(
        {"search", file.string(), "--run-dir", (folder.path() / "search").string(), "--trials", "9",
         "--space", "training.optimizer.lr=uniform:0.1,0.2"});
    CHECK(said.status == 2);
    const std::string errors = without_folder(without_excerpts(said.errors), folder.path());
    const std::string wrong =
        "task.classes = [\"a\", \"b\", \"a\"]: 'a' is listed twice\n    fix: remove one of them\n";
    CHECK(errors ==
          "ptprun: warning: search: there is no [validation], so that the trials are judged by the "
          "samples that they are trained on: what learns these by heart wins\n"
          "    fix: add a [validation] with other samples\n"
          "training: column types inferred from t.csv: width: number\n"
          "FOLDER/e.toml:5:103: error: training." +
              wrong);
    CHECK(said.output.find("[2/9]") != std::string::npos);
    CHECK(said.output.find("[3/9]") == std::string::npos);
    CHECK(said.output.ends_with("no run is kept: " + (folder.path() / "search").string() +
                                " is removed\n"));
    CHECK_FALSE(fs::exists(folder.path() / "search"));
}

TEST_CASE("search: where the metric is not a number in any trial, none is the best") {
    const ptp::test::TempFolder folder;
    folder.write("two.csv", "x,c\n0,a\n1,b\n2,a\n3,b\n");
    folder.write("one.csv", "x,c\n0,a\n1,a\n");  // there is no curve with one class
    const std::string task =
        "batch_size = 2, features = [\"x\"], label = \"c\", classes = [\"a\", \"b\"] }\n";
    const fs::path file = folder.write(
        "e.toml",
        "seed = 1\n[training]\njudge = { statistic = \"auc\", better = \"larger\" }\n"
        "optimizer = { type = \"SGD\", lr = 0.5 }\nterminal_conditions = { epoch_limit = 2 }\n"
        "task = { type = \"CsvTable\", file = \"two.csv\", " +
            task + "[validation]\ntask = { type = \"CsvTable\", file = \"one.csv\", " + task +
            "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
            "globals = { prediction_size = \"num_classes\" }\n"
            "[pipeline.loss]\ntype = \"NLLLoss\"\n"
            "[pipeline.roc]\ntype = \"ROCStatistics\"\nmode = \"multiclass\"\n");
    const ProcessResult said = ptp::test::ptprun(
        {"search", file.string(), "--run-dir", (folder.path() / "search").string(), "--trials", "2",
         "--halving", "2", "--space", "training.optimizer.lr=choice:0.1,0.2"});
    CHECK(said.status == 5);
    CHECK(said.output.ends_with("none is the best: auc is not a number in any of them\n"));
    CHECK(said.output.find("\nthe best: ") == std::string::npos);
}

TEST_CASE("search: trials that are compared by the loss are shown with the first statistic") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                               "terminal_conditions = { epoch_limit = 1 }\n",
                                   .has_test = false});
    const ProcessResult said = search(
        folder, "search", {"--trials", "2", "--halving", "0", "--space", "lr=uniform:0.01,0.1"});
    CHECK(said.status == 0);
    CHECK(std::regex_search(said.output, std::regex("\nrun +loss +accuracy +epochs +state *\n"
                                                    "\\S+ +[0-9.]+ +[0-9.]+ +1 +done *\n")));
}

TEST_CASE("search: a trial that continues has the options of the search") {
    const ExperimentFolder folder;
    write_mortal(folder, "kill");
    const ProcessResult said =
        search(folder, "search",
               with_witness({"--trials", "2", "--halving", "2", "--nproc", "2", "--restarts", "1",
                             "--min-nproc", "1", "--verbose", "--show", "accuracy", "--threads",
                             "1", "--space", "training.optimizer.lr=uniform:0.01,0.1"}));
    CHECK(said.status == 0);
    std::smatch found;
    REQUIRE(std::regex_search(said.output, found, std::regex("the best: (\\S+), ")));
    const auto record = json::parse(
        folder.read((fs::path(found[1].str()) / "run.json").lexically_relative(folder.path())));
    REQUIRE(record["processes"].size() == 3);  // the last one after the restart
    CHECK(record["processes"][1]["command_line"].dump().find(
              R"("--threads","1","--nproc","2","--restarts","1","--min-nproc","1","--verbose",)"
              R"("--show","accuracy")") != std::string::npos);
}

TEST_CASE("search: a killed trial is tried once more, and has failed the second time") {
    const ExperimentFolder folder({.training = kLong, .has_test = false});
    const std::string trial = "search/1_lr=0.05";
    TrainingProcess worker(long_search(folder, "search"));
    const pid_t first = process_of(worker, folder, trial, 0);
    kill(first, SIGKILL);
    CHECK(worker.wait_for_lines("[1/1] lr=0.05: killed by SIGKILL; is tried once more", 1));
    CHECK(folder.has(trial + ".rung1.killed"));
    CHECK_FALSE(folder.has(trial + ".rung1.json"));
    kill(process_of(worker, folder, trial, first), SIGKILL);
    CHECK(worker.wait_for_lines("[1/1] lr=0.05: failed with 137: killed by SIGKILL, twice", 1));
    CHECK(worker.end_with(0) == 137);
    CHECK(json::parse(folder.read(trial + ".rung1.json"))["state"] == "failed");
}

// The kernel may end a halted process whose parent has ended, or leave it halted: then the worker
// waits for it.
TEST_CASE("search: in the last rung a trial whose worker was killed is continued by another one") {
    const ExperimentFolder folder({.training = kLong, .has_test = false});
    const std::string trial = "search/1_lr=0.05";
    TrainingProcess killed(long_search(folder, "search"));
    const pid_t child = process_of(killed, folder, trial, 0);
    kill(child, SIGSTOP);
    CHECK(killed.end_with(SIGKILL) == 137);
    TrainingProcess second(long_search(folder, "search"));
    CHECK(second.wait_for_lines("rung 1 of 1: 1 trial to the end", 1));
    kill(child, SIGCONT);
    CHECK(second.wait_for_lines("[1/1] lr=0.05: continues", 1));
    CHECK(second.end_with(SIGTERM) == 143);
}

TEST_CASE("search: a result that a newer ptprun wrote is refused") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const Strings words = four_trials({"--share"});
    REQUIRE(search(folder, "search", words).status == 0);
    const std::string file = "search/" + run_at_place(folder, "search", 0) + ".rung1.json";
    std::ofstream(folder.path() / file) << R"({"format": 2})";
    const ProcessResult said = search(folder, "search", words);
    CHECK(said.status == 2);
    CHECK(without_folder(said.errors, folder.path()) ==
          "ptprun: error: FOLDER/" + file +
              ": written by format 2; this ptprun reads up to 1\n"
              "    fix: use the ptprun that wrote it, or a newer one\n");
}

}  // namespace search_ends_test
