// The commands of ptprun that need no libtorch, as a person meets them.

#include "experiments/support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace {

struct Said {
    int code = -1;
    std::string out;
    std::string err;
};

// Runs ptprun in a folder with the good experiment as good.toml and a wrong one as wrong.toml.
Said ptprun(const std::string& arguments) {
    const ptp::test::TempFolder folder;
    std::string wrong = ptp::test::good_experiment();
    wrong.replace(wrong.find("seed"), 4, "sead");
    folder.write("good.toml", ptp::test::good_experiment());
    folder.write("wrong.toml", wrong);
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    const std::string command =
        "cd '" + folder.path().string() + "' && '" + program + "' " + arguments + " >out 2>err";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, folder.read("out"), folder.read("err")};
}

}  // namespace

TEST_CASE("ptprun check: a good experiment is summed up") {
    const Said said = ptprun("check good.toml");
    CHECK(said.code == 0);
    CHECK(said.err == "");
    CHECK(said.out ==
          "good.toml: nothing is wrong\n"
          "  name        wrong\n"
          "  tasks       training (SortOfCLEVR), validation (SortOfCLEVR)\n"
          "  components  encoder (ConvNetEncoder), reshape (ReshapeTensor), classifier "
          "(FeedForwardNetwork), nll_loss (NLLLoss), accuracy (AccuracyStatistics)\n"
          "  streams     12\n");
}

TEST_CASE("ptprun check: a wrong experiment ends with 2 and says what is wrong") {
    const Said said = ptprun("check wrong.toml");
    CHECK(said.code == 2);
    CHECK(said.out == "");
    CHECK(said.err == "wrong.toml:2:1: sead: unknown key; did you mean 'seed'?\n");
}

TEST_CASE("ptprun check: mistakes of the training, of a setting and of a type are said together") {
    const Said said = ptprun(
        "check good.toml --set training.optimizer.lrr=3 --set pipeline.nll_loss.type=NLLLos "
        "--set pipeline.classifier.dropout_rate=1.5");
    CHECK(said.code == 2);
    const std::string plugins = (ptp::test::build_dir() / "lib/ptp/plugins").string();
    CHECK(
        said.err ==
        "--set: training.optimizer.lrr: unknown key; did you mean 'lr'?\n"
        "--set: pipeline.classifier.dropout_rate = 1.5: must be in [0, 1)\n"
        "--set: pipeline.nll_loss.type = \"NLLLos\": no plugin has such a component; did you mean "
        "'NLLLoss'? (searched: " +
            plugins + ")\n");
}

TEST_CASE("ptprun check: a stream that nothing writes is said beside a mistake of the training") {
    const Said said = ptprun(
        "check good.toml --set training.optimizer.lrr=3 --set "
        "pipeline.accuracy.streams.targets=tragets");
    CHECK(said.code == 2);
    CHECK(said.err.find("lrr: unknown key") != std::string::npos);
    CHECK(said.err.find("tragets") != std::string::npos);
}

TEST_CASE("ptprun check: a plugin folder that does not exist is not passed over in silence") {
    const Said said = ptprun("check good.toml --plugins /nowhere/plugins");
    CHECK(said.code == 0);
    CHECK(said.err == "/nowhere/plugins: warning: cannot be searched: No such file or directory\n");
}

TEST_CASE("ptprun: what it prints never lands in a file because a standard stream is closed") {
    const Said said = ptprun(
        "good.toml --run-dir run --set training.terminal_conditions.episode_limit=1 >&- 2>&-; "
        "{ echo code $?; head -c 19 run/training.csv; grep -cv ^20 run/run.log; }");
    CHECK(said.out == "code 0\nepisode,epoch,loss,0\n");
}

TEST_CASE("ptprun check: --set replaces a value before the check") {
    const Said said = ptprun("check good.toml --set training.task.batch_size=0");
    CHECK(said.code == 2);
    CHECK(said.err == "--set: training.task.batch_size = 0: must be in [1, inf)\n");
}

TEST_CASE("ptprun draw: shows the pipeline in the format asked for") {
    CHECK(ptprun("draw good.toml").out.starts_with("task  training"));
    CHECK(ptprun("draw good.toml --format dot").out.starts_with("digraph pipeline {"));
    CHECK(ptprun("draw good.toml --format svg").out.starts_with("<svg xmlns="));
}

TEST_CASE("ptprun: a command line that cannot be understood ends with 2") {
    struct Case {
        const char* arguments;
        const char* err;
    };
    const Case cases[] = {
        {"check", "ptprun: an experiment file is needed; see ptprun --help\n"},
        {"draw good.toml --format pdf",
         "ptprun: --format pdf: must be text, dot or svg; see ptprun --help\n"},
        {"check good.toml --fast", "ptprun: unrecognised option '--fast'; see ptprun --help\n"},
        {"good.toml --quite",
         "ptprun: unrecognised option '--quite' (did you mean '--quiet'?); see ptprun --help\n"},
        {"runs --statsu done",
         "ptprun: unrecognised option '--statsu' (did you mean '--status'?); see ptprun --help\n"},
        {"chek good.toml",
         "ptprun: 'chek' is neither a file nor a command; did you mean 'check'?\n"},
        {"good.toml --seed -1", "ptprun: --seed -1: must be 0 or more; see ptprun --help\n"},
        {"good.toml --device gpu",
         "ptprun: --device gpu: must be cpu, cuda or cuda:N; see ptprun --help\n"},
    };
    for (const Case& c : cases) {
        const std::string arguments = c.arguments;
        CAPTURE(arguments);
        const Said said = ptprun(arguments);
        CHECK(said.code == 2);
        CHECK(said.err == c.err);
    }
}
