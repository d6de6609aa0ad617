#include "runs/same_bits.hpp"

#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <vector>

namespace ptp::test {

namespace {

ProcessResult train(const TempFolder& folder, const std::string& name,
                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(), "--run-dir",
                                          (folder.path() / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ptprun(arguments);
}

void check_equal_files(const TempFolder& folder, const std::string& name) {
    for (const char* file : {"training.csv", "validation.csv", "exports/rows.csv",
                             "checkpoints/last/training.safetensors"}) {
        CAPTURE(name);
        CAPTURE(file);
        CHECK((folder.read(std::filesystem::path(name) / file) ==
               folder.read(std::filesystem::path("plain") / file)));
    }
}

}  // namespace

void check_same_bits(const TempFolder& folder, const std::string& experiment) {
    folder.write("experiment.toml", experiment);
    const ProcessResult plain = train(folder, "plain");
    CHECK(without_warnings(plain.errors, "has the samples of [training]") == "");
    REQUIRE(plain.status == 0);
    for (const std::string workers : {"0", "3"}) {  // 1 is the default
        const ProcessResult result =
            train(folder, "with_" + workers,
                  {"--set", "training.dataloader.num_workers=" + workers, "--set",
                   "validation.dataloader.num_workers=" + workers});
        CHECK(without_warnings(result.errors, "has the samples of [training]") == "");
        REQUIRE(result.status == 0);
        check_equal_files(folder, "with_" + workers);
    }
    {
        TrainingProcess process({(folder.path() / "experiment.toml").string(), "--run-dir",
                                 (folder.path() / "killed").string(), "--set",
                                 "training.terminal_conditions.epoch_limit=6", "--set",
                                 "checkpoint.every_epochs=1"});
        REQUIRE(process.wait_for_lines("validation  ", 3));  // the second follows a checkpoint
        process.end_with(SIGKILL);
    }
    const ProcessResult resumed = ptprun({"resume", (folder.path() / "killed").string()});
    CHECK(without_warnings(resumed.errors, "has the samples of [training]") == "");
    REQUIRE(resumed.status == 0);
    check_equal_files(folder, "killed");
    const ProcessResult swapped = train(
        folder, "swapped", {"--swap-check", "2", "--set", "training.dataloader.num_workers=2"});
    CHECK(without_warnings(swapped.errors, "has the samples of [training]") == "");
    CHECK(swapped.status == 0);
    CHECK(swapped.output.find("identical  checkpoints/last/training.safetensors") !=
          std::string::npos);
    CHECK(swapped.output.find("differs") == std::string::npos);
}

}  // namespace ptp::test
