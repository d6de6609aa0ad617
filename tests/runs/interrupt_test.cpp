// What a signal leaves behind.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <utility>

using ptp::test::ExperimentFolder;

namespace {

constexpr const char* kLongTraining =
    "optimizer = { type = \"Adam\", lr = 0.01 }\n"
    "terminal_conditions = { epoch_limit = 1000000, early_stop_validations = 0, "
    "loss_stop_threshold = 0.0 }\n";

// A ptprun that trains for ever, whose output is read line by line.
class Training {
public:
    Training(const ExperimentFolder& folder, const std::string& run) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe");
        }
        const std::string program = (ptp::test::build_dir() / "bin" / "ptprun").string();
        const std::string experiment = (folder.path() / "experiment.toml").string();
        const std::string run_folder = folder.run_folder(run);
        child_ = fork();
        if (child_ == 0) {
            dup2(ends[1], STDOUT_FILENO);
            unsetenv("PTP_PLUGIN_PATH");
            setenv("OMP_NUM_THREADS", "1", 1);
            execl(program.c_str(), program.c_str(), experiment.c_str(), "--run-dir",
                  run_folder.c_str(), nullptr);
            _exit(126);
        }
        close(ends[1]);
        output_ = ends[0];
    }
    ~Training() {
        if (output_ >= 0) {
            close(output_);
        }
    }
    Training(const Training&) = delete;
    Training& operator=(const Training&) = delete;

    // Returns when so many epochs have been validated.
    void wait_for_epochs(int count) {
        std::string line;
        char c = 0;
        while (count > 0 && read(output_, &c, 1) == 1) {
            line += c;
            if (c == '\n') {
                count -= line.find("validation") != std::string::npos ? 1 : 0;
                line.clear();
            }
        }
        REQUIRE(count == 0);
    }

    // The reader of its output goes away.
    void stop_reading() { close(std::exchange(output_, -1)); }

    // The exit status; of a process that a signal ended, 128 more than the signal.
    int end_with(int signal) {
        kill(child_, signal);
        char buffer[4096];
        while (output_ >= 0 && read(output_, buffer, sizeof(buffer)) > 0) {
        }
        int status = 0;
        waitpid(child_, &status, 0);
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

private:
    pid_t child_ = -1;
    int output_ = -1;
};

}  // namespace

TEST_CASE("interrupt: SIGHUP, SIGINT and SIGTERM end the episode and keep the weights") {
    struct Case {
        int signal;
        int status;
        const char* name;
    };
    for (const Case& c : {Case{SIGHUP, 129, "SIGHUP"}, Case{SIGINT, 130, "SIGINT"},
                          Case{SIGTERM, 143, "SIGTERM"}}) {
        CAPTURE(c.name);
        const ExperimentFolder folder;
        folder.write({.training = kLongTraining});
        Training training(folder, "run");
        training.wait_for_epochs(1);
        CHECK(training.end_with(c.signal) == c.status);
        CHECK(folder.read("run/status.toml") ==
              std::string("state = \"interrupted\"\nreason = \"") + c.name +
                  "\"\nexit_code = " + std::to_string(c.status) + "\n");
        CHECK(
            folder.read("run/checkpoints/last/checkpoint.toml").find("status = \"interrupted\"") !=
            std::string::npos);

        // What it left can be loaded.
        folder.write();
        const std::string load =
            "pipeline.net.load=\"" + folder.run_folder("run") + "/checkpoints/last\"";
        CHECK(folder.run("next", {"--set", load}).status == 0);
    }
}

TEST_CASE("interrupt: a kill while checkpoints are written leaves a whole one") {
    const ExperimentFolder folder;
    for (int i = 1; i <= 4; ++i) {
        CAPTURE(i);
        const std::string name = "run" + std::to_string(i);
        folder.write({.training = kLongTraining});
        Training training(folder, name);
        training.wait_for_epochs(i);
        CHECK(training.end_with(SIGKILL) == 128 + SIGKILL);
        // After the first validation line the first checkpoint may not be there yet.
        if (i > 1) {
            folder.write();
            const std::string load =
                "pipeline.net.load=\"" + folder.run_folder(name) + "/checkpoints/last\"";
            CHECK(folder.run("after" + std::to_string(i), {"--set", load}).status == 0);
        }
    }
}

TEST_CASE("interrupt: a reader of the output that goes away does not end the training") {
    const ExperimentFolder folder;
    folder.write();
    Training training(folder, "run");
    training.stop_reading();
    CHECK(training.end_with(0) == 0);
    CHECK(folder.read("run/status.toml") ==
          "state = \"done\"\nreason = \"epoch limit of 3 reached\"\nexit_code = 0\n");
}

TEST_CASE("interrupt: a run whose checkpoints are taken away says that it has failed") {
    const ExperimentFolder folder;
    folder.write({.training = kLongTraining});
    Training training(folder, "run");
    training.wait_for_epochs(1);
    std::filesystem::rename(folder.path() / "run" / "checkpoints", folder.path() / "away");
    CHECK(training.end_with(0) == 5);
    const std::string status = folder.read("run/status.toml");
    CHECK(status.starts_with("state = \"failed\"\nreason = \"cannot "));
    CHECK(status.ends_with("\nexit_code = 5\n"));
}
