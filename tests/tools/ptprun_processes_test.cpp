// What ptprun makes of an environment in which others have started it, and of --nproc, before it
// trains anything.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptprun_processes_test {

namespace {

using ptp::test::ProcessResult;
using ptp::test::TempFolder;
using Variables = std::map<std::string, std::string>;

const Variables kSecondOfTwo = {
    {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "1"}};

std::string experiment() {
    return (ptp::test::source_dir() / "configs/shapes/convnet_softmax.toml").string();
}

std::string refusal(const std::vector<std::string>& arguments, const Variables& variables = {}) {
    const ProcessResult result = ptp::test::run_program("ptprun", arguments, variables);
    CHECK(result.status == 2);
    CHECK(result.output == "");
    return result.errors;
}

}  // namespace

TEST_CASE("ptprun: a lone RANK is refused, with how to train in one process") {
    CHECK(refusal({experiment()}, {{"RANK", "1"}}) ==
          "ptprun: error: the environment has RANK = 1, but no WORLD_SIZE\n"
          "    fix: to train in several processes set RANK and WORLD_SIZE; to train in one: unset "
          "RANK\n");
}

TEST_CASE("ptprun --nproc: refused where others have started several") {
    CHECK(refusal({experiment(), "--nproc", "2"}, kSecondOfTwo) ==
          "ptprun: error: --nproc 2 starts processes on this host, but this one is already rank 1 "
          "of 2, started by RANK and WORLD_SIZE: leave --nproc out\n"
          "    help: ptprun help run\n");
}

TEST_CASE("ptprun --nproc: options that do not fit together are refused") {
    CHECK(refusal({experiment(), "--restarts", "1"}) ==
          "ptprun: error: --restarts is for --nproc\n    help: ptprun help run\n");
    CHECK(refusal({experiment(), "--nproc", "2", "--min-nproc", "1"}) ==
          "ptprun: error: --min-nproc is for --restarts\n    help: ptprun help run\n");
    CHECK(refusal({experiment(), "--nproc", "2", "--restarts", "1", "--min-nproc", "3"}) ==
          "ptprun: error: --min-nproc 3 is more than --nproc 2\n    help: ptprun help run\n");
    CHECK(refusal({experiment(), "--share", "--run-dir", "runs/a"}) ==
          "ptprun: error: --share is for a sweep: give a --set several values\n"
          "    help: ptprun help run\n");
    CHECK(refusal({experiment(), "--share", "--set", "seed=1,2"}) ==
          "ptprun: error: --share is for --run-dir\n    help: ptprun help run\n");
}

TEST_CASE("ptprun: what one process does is refused to several") {
    const auto text = [](const std::string& what, const std::string& command) {
        return "ptprun: error: " + what +
               " runs in one process, but this one is rank 1 of 2, started by RANK and WORLD_SIZE: "
               "start it once\n    help: ptprun help " +
               command + "\n";
    };
    CHECK(refusal({"predict", "runs/a", "--data", "b"}, kSecondOfTwo) ==
          text("ptprun predict", "predict"));
    CHECK(refusal({"process", experiment()}, kSecondOfTwo) == text("ptprun process", "process"));
    CHECK(refusal({"replay", "runs/a"}, kSecondOfTwo) == text("ptprun replay", "replay"));
    CHECK(refusal({"record", experiment(), "--component", "net", "-o", "a"}, kSecondOfTwo) ==
          text("ptprun record", "record"));
    CHECK(refusal({experiment(), "--swap-check", "1"}, kSecondOfTwo) ==
          text("--swap-check", "run"));
    CHECK(refusal({experiment(), "--set", "seed=1,2"}, kSecondOfTwo) ==
          text("a sweep without --share", "run"));
}

TEST_CASE("ptprun --nproc: what is wrong with an experiment is reported once, before any start") {
    const TempFolder folder;
    const std::string runs = (folder.path() / "run").string();
    CHECK(ptp::test::without_excerpts(refusal({experiment(), "--nproc", "2", "--run-dir", runs,
                                               "--set", "training.task.batch_size=0"})) ==
          "--set: error: training.task.batch_size = 0: must be in [1, inf)\n"
          "    fix: --set training.task.batch_size=64\n");
    CHECK_FALSE(std::filesystem::exists(runs));
}

TEST_CASE("ptprun --run-dir: the folder of all runs is refused") {
    const TempFolder folder;
    const std::string runs = folder.path().string();
    CHECK(
        refusal({experiment(), "--run-dir", runs}, {{"PTP_RUNS", runs}}) ==
        "ptprun: error: --run-dir " + runs +
            ": is the folder of all runs; without --run-dir the run is " + runs +
            "/shapes_convnet_softmax/TIME; PTP_RUNS=DIR names another folder of all\n    fix: --run-dir " +
            runs + "/shapes_convnet_softmax\n    help: ptprun help run\n");
}

TEST_CASE("ptprun --share: the folder of another sweep is refused") {
    const TempFolder folder;
    const std::string runs = folder.path().string();
    folder.write("notes.txt", "");
    CHECK(refusal({experiment(), "--share", "--run-dir", runs, "--set", "seed=1,2"}) ==
          "ptprun: error: --run-dir " + runs +
              ": is not empty, and not the folder of a shared sweep\n    help: ptprun help run\n");
    folder.write("sweep.json", "{}");
    CHECK(refusal({experiment(), "--share", "--run-dir", runs, "--set", "seed=1,2"}) ==
          "ptprun: error: --run-dir " + runs +
              ": is the folder of another sweep, of other values, options or another experiment: " +
              runs + "/sweep.json\n    help: ptprun help run\n");
}

}  // namespace ptprun_processes_test
