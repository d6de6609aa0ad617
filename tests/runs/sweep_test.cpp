// Sweeps from the command line: several values after --set.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <regex>
#include <string>
#include <vector>

namespace sweep_test {

using namespace ptp::test;

namespace {

constexpr const char* kShort =
    "optimizer = { type = \"Adam\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 1 }\n";

constexpr const char* kLong =
    "optimizer = { type = \"Adam\", lr = 0.01 }\n"
    "terminal_conditions = { epoch_limit = 1000000, early_stop_validations = 0, "
    "loss_stop_threshold = 0.0 }\n";

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line) != std::string::npos;
}

// A sweep of three runs, two at a time; its output is read from `output`.
pid_t begin_sweep(const ExperimentFolder& folder, int& output) {
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    const std::string experiment = (folder.path() / "experiment.toml").string();
    const std::string runs = folder.run_folder("sweep");
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("OMP_NUM_THREADS", "1", 1);
        execl(program.c_str(), program.c_str(), experiment.c_str(), "--run-dir", runs.c_str(),
              "--set", "seed=1,2,3", "-j", "2", nullptr);
        _exit(126);
    }
    close(ends[1]);
    output = ends[0];
    return child;
}

}  // namespace

TEST_CASE("sweep: the product runs, each in its folder, with a table at the end") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    const ProcessResult said = folder.run(
        "sweep", {"--set", "training.optimizer.lr=0.1,0.01", "--set", "seed=1,2", "--jobs", "2"});
    CHECK(without_excerpts(said.errors) == "");
    CHECK(said.status == 0);
    const std::string output = without_folder(said.output, folder.path());
    CHECK(has_line(output, "4 runs in FOLDER/sweep\n"));
    CHECK(has_line(output, "[1/4] lr=0.1 seed=1: begins\n"));
    CHECK(has_line(output, "[4/4] lr=0.01 seed=2: done"));
    for (const char* name :
         {"1_lr=0.1_seed=1", "2_lr=0.1_seed=2", "3_lr=0.01_seed=1", "4_lr=0.01_seed=2"}) {
        CAPTURE(name);
        CHECK(has_line(output, name));
        CHECK(folder.has(std::string("sweep/") + name + "/checkpoints/best"));
        CHECK(folder.read(std::string("sweep/") + name + ".out").find("validation") !=
              std::string::npos);
    }
    CHECK(output.find("seed  lr") != std::string::npos);
    const std::string means = output.substr(output.find("mean ± deviation over seeds\n"));
    CHECK(std::regex_search(means, std::regex("\nlr    n +loss +accuracy\n"
                                              "0.1   2 +[0-9.]+ ± [0-9.]+ .*\n"
                                              "0.01  2 +[0-9.]+ ± [0-9.]+ .*\n$")));
}

TEST_CASE("sweep: the runs have one seed, also where none is set, unless it varies") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    const ProcessResult said = folder.run("sweep", {"--set", "seed=-1", "--set", "lr=0.1,0.01"});
    REQUIRE(said.status == 0);
    std::smatch line;
    const std::string output = without_folder(said.output, folder.path());
    REQUIRE(std::regex_search(output, line,
                              std::regex("2 runs in FOLDER/sweep, all with --seed ([0-9]+)\n")));
    for (const char* run : {"sweep/1_lr=0.1", "sweep/2_lr=0.01"}) {
        CAPTURE(run);
        CHECK(folder.read(std::string(run) + "/experiment.toml")
                  .find("\nseed = " + line[1].str() + "\n") != std::string::npos);
    }
}

TEST_CASE("sweep: a run is the run of its settings alone") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    CHECK(folder.run("sweep", {"--set", "training.optimizer.lr=0.1,0.01"}).status == 0);
    CHECK(folder.run("alone", {"--set", "training.optimizer.lr=0.01"}).status == 0);
    CHECK(folder.read("sweep/2_lr=0.01/training.csv") == folder.read("alone/training.csv"));
    CHECK(folder.read("sweep/2_lr=0.01/experiment.toml") == folder.read("alone/experiment.toml"));
}

TEST_CASE("sweep: a run that fails does not stop the others, and the exit code tells") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    const ProcessResult said = folder.run("sweep", {"--set", "training.optimizer.lr=1e30,0.01"});
    CHECK(said.status == 6);
    CHECK(has_line(said.output, "[1/2] lr=1e30: ended with 6: ptprun: error: the loss "));
    CHECK(has_line(said.output, "[2/2] lr=0.01: done"));
}

TEST_CASE("sweep: all experiments are checked before the first runs") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    const std::vector<std::string> wrong = {"--set", "training.optimizer.lr=0.1,-1,-2", "--set",
                                            "seed=1,2"};
    const ProcessResult said = folder.run("sweep", wrong);
    CHECK(said.status == 2);
    CHECK(said.output == "");
    CHECK(without_excerpts(said.errors) ==
          "--set: error: training.optimizer.lr = -1: must be in [0, inf)\n"
          "--set: error: training.optimizer.lr = -2: must be in [0, inf)\n"
          "2 errors\n");
    CHECK_FALSE(folder.has("sweep"));
}

TEST_CASE("sweep: two points with one experiment are refused before the first runs") {
    const ExperimentFolder folder;
    const std::string file = folder.write({.training = kShort, .has_test = false}).string();
    const std::vector<std::string> equal = {"--set", "training.optimizer.lr=0.1,0.01,1e-1", "--set",
                                            "seed=1,2"};
    const ProcessResult said = folder.run("sweep", equal);
    CHECK(said.status == 2);
    CHECK(said.output == "");
    const std::string error =
        "ptprun: error: runs 1 (lr=0.1 seed=1) and 5 (lr=1e-1 seed=1) of the sweep are one "
        "experiment, which would be trained twice\n    fix: leave out one of the values\n";
    CHECK(said.errors == error);
    CHECK(folder.run("sweep", {"--set", "seed=1,1"}).errors ==
          "ptprun: error: runs 1 (seed=1) and 2 (seed=1) of the sweep are one experiment, which "
          "would be trained twice\n    fix: leave out one of the values; a list stands in "
          "brackets: KEY=[A, B]\n");
    CHECK_FALSE(folder.has("sweep"));
    std::vector<std::string> checked = {"check", file};
    checked.insert(checked.end(), equal.begin(), equal.end());
    CHECK(ptp::test::run_program("ptprun", checked).errors == error);
}

TEST_CASE("sweep: a warning of all runs is shown once, and with --quiet errors as well") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    const ProcessResult said =
        folder.run("sweep", {"--set", "training.task.batch_size=64", "--set", "seed=1,2,3"});
    CHECK(without_excerpts(said.errors) ==
          "ptprun: warning: training.task.batch_size = 64: an epoch has 48 samples, so that it is "
          "one batch and one step of the optimizer\n    in all 3 runs\n");
    const ProcessResult quiet =
        folder.run("quiet", {"--set", "training.optimizer.lr=1e30,0.01", "--quiet"});
    CHECK(quiet.status == 6);
    CHECK(quiet.output.starts_with("[1/2] lr=1e30: ended with 6: ptprun: error: the loss "));
    CHECK(quiet.output.find('\n') == quiet.output.size() - 1);
}

TEST_CASE("sweep: what it refuses") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    struct Case {
        std::vector<std::string> options;
        const char* errors;
    };
    const Case cases[] = {
        {{"--jobs", "2"},
         "ptprun: error: --jobs is for a sweep: give a --set several values\n    help: ptprun help "
         "run\n"},
        {{"--set", "seed=1,2", "--jobs", "0"},
         "ptprun: error: --jobs 0: must be in [1, 1024]\n    help: ptprun help run\n"},
        {{"--set", "seed=1,"},
         "--set: error: 'seed=1,': one of the values between the commas is empty\n"},
    };
    for (const Case& c : cases) {
        const ProcessResult said = folder.run("sweep", c.options);
        CHECK(said.status == 2);
        CHECK(without_excerpts(said.errors) == c.errors);
    }
    CHECK(folder.run("full", {"--set", "seed=1,2"}).status == 0);
    const ProcessResult again = folder.run("full", {"--set", "seed=1,2"});
    CHECK(again.status == 2);
    CHECK(without_folder(again.errors, folder.path()) ==
          "ptprun: error: --run-dir FOLDER/full: is there already and not empty, and the folder of "
          "a sweep; to continue it\n    fix: add --share\n    help: ptprun help run\n");
}

TEST_CASE("sweep: check looks at all experiments, draw and explain take one") {
    const ExperimentFolder folder;
    const std::string file = folder.write({.training = kShort, .has_test = false}).string();
    const auto ptprun = [&](const char* command, const char* set) {
        return ptp::test::run_program("ptprun", {command, file, "--set", set});
    };
    const ProcessResult right = ptprun("check", "training.optimizer.lr=0.1,0.2");
    CHECK(right.status == 0);
    CHECK(right.output == file + ": nothing is wrong with any of 2 experiments\n");
    const ProcessResult wrong = ptprun("check", "training.optimizer.lr=0.1,-1");
    CHECK(wrong.status == 2);
    CHECK(without_excerpts(wrong.errors) ==
          "--set: error: training.optimizer.lr = -1: must be in [0, inf)\n");
    for (const char* command : {"draw", "explain"}) {
        CAPTURE(command);
        const ProcessResult refused = ptprun(command, "training.optimizer.lr=0.1,0.2");
        CHECK(refused.status == 2);
        CHECK(refused.errors ==
              "ptprun: error: a --set with several values is for trainings and for check\n"
              "    fix: --set training.optimizer.lr=0.1\n    help: ptprun help " +
                  std::string(command) + "\n");
    }
}

TEST_CASE("sweep: SIGINT and SIGTERM stop the runs and begin no more") {
    for (const int signal : {SIGINT, SIGTERM}) {
        const ExperimentFolder folder({.training = kLong, .has_test = false});
        int source = -1;
        const pid_t child = begin_sweep(folder, source);
        std::string output;
        char buffer[4096];
        const auto read_more = [&] {
            const ssize_t count = read(source, buffer, sizeof(buffer));
            output.append(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
            return count > 0;
        };
        while (output.find("[2/3] seed=2: begins\n") == std::string::npos && read_more()) {
        }
        // Both are in the middle of their training when they have validated.
        for (const char* name :
             {"sweep/1_seed=1/validation.csv", "sweep/2_seed=2/validation.csv"}) {
            while (!folder.has(name) && waitpid(child, nullptr, WNOHANG) == 0) {
            }
        }
        kill(child, signal);
        while (read_more()) {
        }
        int status = 0;
        waitpid(child, &status, 0);
        close(source);
        CHECK(WEXITSTATUS(status) == 128 + signal);
        CHECK(has_line(output, "1 of 3 runs were not begun\n"));
        CHECK(
            without_folder(output, folder.path())
                .ends_with("to continue: the same command with --share --run-dir FOLDER/sweep\n"));
        CHECK_FALSE(has_line(output, "[3/3]"));
        CHECK(folder.has("sweep/1_seed=1/checkpoints/last"));
        CHECK(folder.has("sweep/2_seed=2/checkpoints/last"));
    }
}

}  // namespace sweep_test
