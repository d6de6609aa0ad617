// The commands that take an experiment take a run as well, by its folder or as `last` and `best`.

#include "experiments/support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ptprun_run_test {

namespace {

using ptp::test::TempFolder;

struct Said {
    int code = -1;
    std::string out;
    std::string err;
};

std::string status_json(const std::string& began, const std::string& loss) {
    return R"({"state": "done", "episode": 10, "epoch": 2, "began": ")" + began +
           R"(", "best": {"set": "validation", "episode": 4, "epoch": 0, "loss": )" + loss +
           R"(, "statistics": {}}})";
}

// Folders that look like two runs of the good experiment.
class Runs {
public:
    Runs() {
        for (const auto& [name, began, loss] : {std::tuple("a", "2026-01-01T00:00:00Z", "0.25"),
                                                std::tuple("b", "2026-01-01T00:00:01Z", "0.5")}) {
            folder_.write(std::string("runs/wrong/") + name + "/experiment.toml",
                          ptp::test::good_experiment());
            folder_.write(std::string("runs/wrong/") + name + "/status.json",
                          status_json(began, loss));
            std::filesystem::create_directories(folder_.path() / "runs/wrong" / name /
                                                "checkpoints");
        }
    }

    [[nodiscard]] Said ptprun(const std::string& arguments) const {
        const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
        const std::string command = "cd '" + folder_.path().string() + "' && '" + program + "' " +
                                    arguments + " >out 2>err </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder_.read("out"),
                folder_.read("err")};
    }

    [[nodiscard]] const TempFolder& folder() const { return folder_; }

private:
    TempFolder folder_;
};

// "diff" of "diff best".
std::string help_name(const std::string& command) {
    return command.empty() ? "run" : command.substr(0, command.find(' '));
}

}  // namespace

TEST_CASE("ptprun: check, draw and explain take the folder of a run, last and best") {
    const Runs runs;
    for (const char* word : {"runs/wrong/b", "runs/wrong/last", "last", "wrong/last/"}) {
        CAPTURE(word);
        const Said checked = runs.ptprun(std::string("check ") + word);
        CHECK(checked.code == 0);
        CHECK(checked.err == "");
        CHECK(
            checked.out.starts_with("runs/wrong/b/experiment.toml: nothing is wrong; "
                                    "the data were not read, --data does\n"));
    }
    CHECK(runs.ptprun("check best").out.starts_with("runs/wrong/a/experiment.toml: "));
    CHECK(runs.ptprun("check wrong/best").out.starts_with("runs/wrong/a/experiment.toml: "));

    const Said drawn = runs.ptprun("draw last");
    CHECK(drawn.code == 0);
    runs.folder().write("good.toml", ptp::test::good_experiment());
    CHECK(drawn.out == runs.ptprun("draw good.toml").out);

    const Said explained = runs.ptprun("explain last training.optimizer.lr --set seed=3");
    CHECK(explained.code == 0);
    CHECK(
        explained.out.starts_with("training.optimizer.lr = 0.001\n"
                                  "  set at      runs/wrong/b/experiment.toml:8:35\n"));
    CHECK(runs.ptprun("explain wrong/best/experiment.toml seed")
              .out.find("set at      runs/wrong/a/experiment.toml:2:8") != std::string::npos);
}

TEST_CASE("ptprun: what is set for a run is checked like what is set for an experiment") {
    const Runs runs;
    const Said said = runs.ptprun("check last --set pipeline.classifier.dropout_rate=1.5");
    CHECK(said.code == 2);
    CHECK(said.err ==
          "--set: error: pipeline.classifier.dropout_rate = 1.5: must be in [0, 1)\n"
          "      | pipeline.classifier.dropout_rate=1.5\n"
          "      |                                  ^~~\n");
}

TEST_CASE("ptprun: runs, diff, resume, replay, process, control and swap know last and best") {
    const Runs runs;
    CHECK(runs.ptprun("diff best last").out.find("  * best loss   0.25  0.5\n") !=
          std::string::npos);
    CHECK(runs.ptprun("runs last --json").out.find("\"run\": \"runs/wrong/b\"") !=
          std::string::npos);
    CHECK(runs.ptprun("resume last").out ==
          "the run in runs/wrong/b is done; there is nothing to resume\n"
          "to train it longer: ptprun resume runs/wrong/b --set "
          "training.terminal_conditions.epoch_limit=N\n");
    CHECK(runs.ptprun("control best pause").err ==
          "ptprun: error: the run in runs/wrong/a is done\n");
    CHECK(runs.ptprun("swap last good.toml").err ==
          "ptprun: error: good.toml: no such file\n    help: ptprun help swap\n");
    CHECK(runs.ptprun("process last --checkpoint last").err ==
          "ptprun: error: runs/wrong/b has no checkpoints; it is done; it can be trained again\n"
          "    fix: ptprun runs/wrong/b/experiment.toml\n"
          "    help: ptprun help process\n");
}

TEST_CASE("ptprun: why a run has no checkpoint depends on how it stands") {
    const Runs runs;
    const auto refusal_of = [&](const std::string& name, const std::string& status) {
        const std::string folder = "runs/other/" + name;
        runs.folder().write(folder + "/experiment.toml", ptp::test::good_experiment());
        runs.folder().write(folder + "/status.json", status);
        return runs.ptprun("process " + folder + " --checkpoint last").err;
    };
    CHECK(
        refusal_of("c", R"({"state": "running", "host": "elsewhere"})") ==
        "ptprun: error: runs/other/c has no checkpoint yet: it is running, and writes one when it "
        "is asked for it\n"
        "    fix: ptprun control runs/other/c checkpoint\n"
        "    help: ptprun help process\n");
    CHECK(refusal_of("d", "[]") ==
          "ptprun: error: runs/other/d has no checkpoints; its status cannot be read: status.json "
          "is broken; it can be trained again\n"
          "    fix: ptprun runs/other/d/experiment.toml\n"
          "    help: ptprun help process\n");
}

TEST_CASE("ptprun: a device that does not exist is refused even where a run is done") {
    const Runs runs;
    for (const char* more : {"", " --json", " --set training.terminal_conditions.epoch_limit=9"}) {
        CAPTURE(more);
        const Said said = runs.ptprun(std::string("resume last --device nonsense") + more);
        CHECK(said.code == 2);
        CHECK(said.out == "");
        CHECK(said.err ==
              "ptprun: error: --device nonsense: must be cpu, cuda or cuda:N\n"
              "    help: ptprun help resume\n");
    }
    CHECK(runs.ptprun("resume last --device cuda:1").code == 0);  // there is nothing to resume
}

TEST_CASE("ptprun: a word that names no run is refused, and the runs are listed") {
    const Runs runs;
    for (const char* command : {"resume", "replay", "diff best", "process"}) {
        CAPTURE(command);
        const Said said = runs.ptprun(std::string(command) + " runs/wrong");
        CHECK(said.code == 2);
        CHECK(
            said.err ==
            "ptprun: error: runs/wrong is not a run folder but holds 2 runs: b and a\n"
            "    fix: write runs/wrong/last or runs/wrong/best in its place, or one of them by its "
            "name\n    help: ptprun help " +
                help_name(command) + "\n");
    }
    for (const char* command : {"check", "draw", "summary", "explain", ""}) {
        CAPTURE(command);
        const Said said = runs.ptprun(std::string(command) + " runs/wrong");
        CHECK(said.code == 2);
        CHECK(
            said.err ==
            "ptprun: error: runs/wrong is not a run folder but holds 2 runs: b and a\n"
            "    fix: write runs/wrong/last or runs/wrong/best in its place, or one of them by its "
            "name\n    help: ptprun help " +
                help_name(command) + "\n");
    }
    CHECK(runs.ptprun("resume runs/wrong/c").err ==
          "ptprun: error: runs/wrong/c: no such run; known: runs/wrong/a, runs/wrong/b\n"
          "    help: ptprun help resume\n");
}

TEST_CASE("ptprun RUN: says what can be done with a run") {
    const Runs runs;
    const std::string said =
        "ptprun: error: runs/wrong/b is the folder of a run (done), not an experiment: continue it or "
        "train its experiment from scratch\n"
        "    fix: ptprun resume runs/wrong/b\n"
        "         ptprun runs/wrong/b/experiment.toml\n";
    for (const char* word : {"runs/wrong/b", "last"}) {
        const Said told = runs.ptprun(word);
        CHECK(told.code == 2);
        CHECK(told.out == "");
        CHECK(told.err == said);
    }
}

TEST_CASE("ptprun: without runs, last is said to name none") {
    const TempFolder folder;
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    const std::string command =
        "cd '" + folder.path().string() + "' && '" + program + "' resume last >out 2>err";
    CHECK(WEXITSTATUS(std::system(command.c_str())) == 2);
    CHECK(folder.read("err") == "ptprun: error: last: no such run\n    help: ptprun help resume\n");
}

namespace {

// The good experiment, a wrong one, and two files to lay over it.
class Layered : public Runs {
public:
    Layered() {
        std::string wrong = ptp::test::good_experiment();
        wrong.replace(wrong.find("seed"), 4, "sead");
        folder().write("good.toml", ptp::test::good_experiment());
        folder().write("wrong.toml", wrong);
        folder().write("small.toml",
                       "[training.terminal_conditions]\nepisode_limit = 1\n"
                       "[pipeline.classifier]\nhidden_sizes = [8]\n");
        folder().write("smaller.toml", "[pipeline.classifier]\nhidden_sizes = [4]\n");
    }
};

}  // namespace

TEST_CASE("ptprun --over: later files win over earlier ones, and --set over all") {
    const Layered layered;
    const std::string key = " pipeline.classifier.hidden_sizes --set seed=3";
    CHECK(layered.ptprun("explain good.toml --over small.toml --over smaller.toml" + key)
              .out.starts_with("pipeline.classifier.hidden_sizes = [4]\n"));
    CHECK(layered.ptprun("explain good.toml --over smaller.toml --over small.toml" + key)
              .out.starts_with("pipeline.classifier.hidden_sizes = [8]\n"));
    CHECK(layered
              .ptprun("good.toml --over small.toml --set seed=1,2 --run-dir sweep --quiet; grep -h "
                      "hidden_sizes sweep/*/experiment.toml")
              .out.ends_with("hidden_sizes = [8]\nhidden_sizes = [8]\n"));
}

TEST_CASE("ptprun --over: what is wrong is reported in the file that has it") {
    const Layered layered;
    CHECK(layered.ptprun("check good.toml --over wrong.toml").err ==
          "wrong.toml:2:1: error: sead: unknown key; did you mean 'seed'?\n"
          "    2 | sead = 1\n"
          "      | ^~~~\n");
    CHECK(layered.ptprun("check good.toml --over smal.toml --over small.toml").err ==
          "smal.toml: error: no such file; did you mean 'small.toml'?\n");
    CHECK(
        layered.ptprun("check nosuch.toml").err ==
        "nosuch.toml: error: no such file; known: good.toml, small.toml, smaller.toml, wrong.toml\n");
    CHECK(
        layered.ptprun("check good.toml --over ''").err ==
        "ptprun: error: --over \"\": must be the name of a file or folder, not empty; \".\" is the "
        "current folder\n    help: ptprun help check\n");
    CHECK(
        layered.ptprun("good.toml small.toml").err ==
        "ptprun: error: 'small.toml' is one word too many after 'good.toml'; to train both, start each "
        "by itself, or lay it over that\n    fix: ptprun good.toml --over small.toml\n"
        "    help: ptprun help run\n");
}

}  // namespace ptprun_run_test
