// A device, or the machine, without the memory that a step needs. No device is needed: a component
// throws what libtorch throws.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace memory_test {

using namespace ptp::test;

namespace {

const std::string kFix =
    "    fix: there is not enough memory; a smaller batch_size (with training.accumulate for the "
    "same step of the optimizer), training.precision = \"bf16\" or smaller sizes need less\n";
const std::string kWords =
    "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.77 GiB total capacity; 13.02 GiB "
    "already allocated; 1.31 GiB free)\n";

// Episode 7 is the second one of epoch 2; there is a checkpoint at the end of epoch 1.
Lines lines(const std::string& refused) {
    return {.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n",
            .pipeline =
                "[pipeline.spoiler]\ntype = \"Spoiler\"\n"
                "streams = { inputs = \"features\", outputs = \"spoilt\" }\n" +
                refused,
            .source = "spoilt"};
}

void check_goes_on(const ExperimentFolder& folder, const std::string& name) {
    CHECK(ptp::test::status_in(folder.path() / name).starts_with("failed: "));
    const ProcessResult resumed = ptp::test::resume(folder, name);
    require_success(resumed);
    CHECK(resumed.output.find("continuing after episode 6, ") != std::string::npos);
    for (const char* file : {"/checkpoints/last/weights.safetensors", "/training.csv"}) {
        CHECK((folder.read(name + file) == folder.read(std::string("undisturbed") + file)));
    }
}

}  // namespace

TEST_CASE("memory: where a component finds none the run ends with 5, and a resume continues") {
    const ExperimentFolder folder(lines(""));
    REQUIRE(folder.run("undisturbed", ptp::test::with_witness()).status == 0);
    folder.write(lines("no_memory = [7]\n"));
    const ProcessResult result = folder.run("run", ptp::test::with_witness());
    CHECK(result.status == 5);
    CHECK(without_folder(result.errors, folder.path()) ==
          "FOLDER/experiment.toml:30:1: error: 'spoiler' (Spoiler) of plugin 'witness' 0.1.0: "
          "forward() failed: c10::OutOfMemoryError: " +
              kWords +
              "    inputs: inputs Float [8, 4]\n"
              "    step: episode 7 (epoch 2), 8 samples of [training]\n" +
              kFix);
    check_goes_on(folder, "run");
}

TEST_CASE(
    "memory: where the backward pass finds none the run ends with 5, and a resume continues") {
    const ExperimentFolder folder(lines(""));
    REQUIRE(folder.run("undisturbed", ptp::test::with_witness()).status == 0);
    folder.write(lines("no_memory_backward = [7]\n"));
    const ProcessResult result = folder.run("run", ptp::test::with_witness());
    CHECK(result.status == 5);
    CHECK(result.errors ==
          "ptprun: error: the backward pass of episode 7 (epoch 2) failed: " + kWords + kFix);
    check_goes_on(folder, "run");
}

}  // namespace memory_test
