// `ptprun runs` where the values of runs cannot be compared, or a run is none.

#include "support/process.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"
#include "tools/finished_run.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace ptprun_runs_compared_test {

namespace {

using ptp::test::ProcessResult;
using ptp::test::ptprun;
using ptp::test::TempFolder;
using ptp::test::write_run;

}  // namespace

TEST_CASE("ptprun runs: what was measured on the training is marked, and comes after validations") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.1", "0.25", "training");
    write_run(folder, "c", "0.1", "0.75");
    const std::string path = folder.path().string();
    CHECK(ptprun({"runs", path, "--sort", "loss"}).output ==
          "run  state  set         loss  accuracy  epoch  episodes  time\n"
          "a    done   validation   0.5       0.5      1        10  1.5s\n"
          "c    done   validation  0.75       0.5      1        10  1.5s\n"
          "b    done   training    0.25       0.5      1        10  1.5s\n");
    CHECK(
        ptprun({"runs", path, "--group-by", "lr", "--columns", "loss", "--sort", "loss"}).output ==
        "set         lr   n         loss\n"
        "validation  0.1  2  0.62 ± 0.18\n"
        "training    0.1  1         0.25\n");
}

TEST_CASE("ptprun runs: a repetition with the same seed is no further sample of a mean") {
    const TempFolder folder;
    for (const char* const name : {"a", "b", "c"}) {
        write_run(folder, name, "0.1", *name == 'c' ? "0.75" : "0.5");
        folder.write(
            std::string(name) + "/status.json",
            ptp::test::replaced(folder.read(std::string(name) + "/status.json"), "\"best\"",
                                "\"last\": {\"set\": \"validation\", \"episode\": 9, "
                                "\"epoch\": 2, \"loss\": 1, \"statistics\": {}}, \"best\""));
    }
    const ProcessResult said =
        ptprun({"runs", folder.path().string(), "--group-by", "lr", "--columns", "loss"});
    CHECK(said.output == "lr   n         loss\n0.1  2  0.62 ± 0.18\n");
    CHECK(said.errors ==
          "1 run is not counted: it repeats another one with the same seed, number for number\n");
}

TEST_CASE("ptprun runs: a folder with the experiment of a person is searched, and no run") {
    const TempFolder folder;
    write_run(folder, "runs/a", "0.1", "0.5");
    folder.write("experiment.toml", "name = \"net\"\n");
    const ProcessResult said = ptprun({"runs", folder.path().string()});
    CHECK(said.errors == "");
    CHECK(said.output.starts_with("run  state  "));
    CHECK(said.output.find("\na    done ") != std::string::npos);
}

}  // namespace ptprun_runs_compared_test
