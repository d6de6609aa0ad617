// The number of threads that compute.

#include "runs/support.hpp"

#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace threads_test {

using ptp::test::ExperimentFolder;
using ptp::test::has;
using ptp::test::ProcessResult;

namespace {

constexpr const char* kOneEpoch =
    "optimizer = { type = \"Adam\", lr = 0.05 }\n"
    "terminal_conditions = { epoch_limit = 1 }\n";

ProcessResult run_with(const ExperimentFolder& folder, const std::string& threads) {
    return ptp::test::ptprun({(folder.path() / "experiment.toml").string(), "--run-dir",
                              folder.run_folder("run"), "--threads", threads});
}

}  // namespace

TEST_CASE("threads: --threads counts more than the environment, and is recorded") {
    const ExperimentFolder folder(
        {.training = kOneEpoch, .has_validation = false, .has_test = false});
    const ProcessResult result = run_with(folder, "3");
    CHECK(result.status == 0);
    CHECK(has(result.output, "on cpu, 3 threads\n"));
    CHECK(has(folder.read("run/run.json"), "\"threads\": 3"));
}

TEST_CASE("threads: more than there are cores are warned of") {
    const ExperimentFolder folder(
        {.training = kOneEpoch, .has_validation = false, .has_test = false});
    const ProcessResult result = run_with(folder, "1024");
    CHECK(has(result.errors, "warning: --threads 1024: this process has "));
    CHECK(has(result.errors, "; more threads than cores wait for each other, and take longer\n"));
}

TEST_CASE("threads: auto begins with one for each core") {
    const ExperimentFolder folder(
        {.training = kOneEpoch, .has_validation = false, .has_test = false});
    const ProcessResult result = run_with(folder, "auto");
    CHECK(result.status == 0);
    CHECK(has(result.output, "on cpu, "));
    CHECK_FALSE(has(result.output, " cores)"));
}

TEST_CASE("threads: a value that is not a number of threads is refused") {
    const ExperimentFolder folder;
    for (const std::string threads : {"0", "-1", "1025", "two", "2x", ""}) {
        CAPTURE(threads);
        const ProcessResult result = run_with(folder, threads);
        CHECK(result.status == 2);
        CHECK(has(result.errors,
                  "--threads " + threads + ": must be a number from 1 to 1024, or auto\n"));
    }
}

TEST_CASE("threads: a variable that libgomp crashes at, or would ignore, is refused") {
    const ExperimentFolder folder;
    for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
        for (const std::string value :
             {"100000", "2147483647", "1025", "0", "-1", "two", "2,", "2,,1"}) {
            CAPTURE(name);
            CAPTURE(value);
            const ProcessResult result =
                ptp::test::run_program("ptprun",
                                       {(folder.path() / "experiment.toml").string(), "--run-dir",
                                        folder.run_folder("run")},
                                       {{name, value}});
            CHECK(result.status == 2);
            CHECK(result.errors == "ptprun: error: " + std::string(name) + "=\"" + value +
                                       "\" in the environment: must be a number from 1 to 1024\n");
        }
    }
    CHECK_FALSE(folder.has("run"));
    const ProcessResult nested = ptp::test::run_program(
        "ptprun",
        {(folder.path() / "experiment.toml").string(), "--run-dir", folder.run_folder("run")},
        {{"OMP_NUM_THREADS", "2, 1"}, {"MKL_NUM_THREADS", ""}});
    require_success(nested);
    CHECK(has(nested.output, "on cpu, 2 threads"));
}

}  // namespace threads_test
