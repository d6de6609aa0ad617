// Whole runs of two processes whose gradients NCCL sums: `./dev test --label cuda`, skipped where
// there is no CUDA device or no NCCL. Both have the same device, which device_for_each.c lets them
// take for two.

#include "runs/cuda_device.hpp"
#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/together.hpp"
#include "support/paths.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace cuda_ranks_test {

using namespace ptp::test;

namespace {

constexpr const char* kWeights = "/checkpoints/last/weights.safetensors";
constexpr const char* kNoDropout = "pipeline.net.dropout_rate=0.0";  // drawn by each for itself
constexpr const char* kWithNccl = "NCCL sums the gradients of 2 CUDA devices\n";

Lines epochs(int count) {
    return {.training =
                "optimizer = { type = \"Adam\", lr = 0.01 }\n"
                "terminal_conditions = { epoch_limit = " +
                std::to_string(count) +
                ", early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"};
}

ProcessResult run_on_gpu(std::vector<std::string> arguments, const std::string& preloaded) {
    arguments.insert(arguments.end(), {"--device", "cuda:0"});
    return ptp::test::run_program("ptprun", arguments,
                                  {{"OMP_NUM_THREADS", "1"}, {"LD_PRELOAD", preloaded}});
}

ProcessResult on_devices_of_their_own(const std::vector<std::string>& arguments) {
    return run_on_gpu(arguments, (ptp::test::build_dir() / "tests/device_for_each.so").string());
}

// In two processes.
ProcessResult train(const ExperimentFolder& folder, const std::string& name,
                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(),
                                          "--run-dir",
                                          folder.run_folder(name),
                                          "--nproc",
                                          "2",
                                          "--set",
                                          kNoDropout};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return on_devices_of_their_own(arguments);
}

// Whether this build has NCCL and this machine a device for it. With both, NCCL must do the sums.
bool has_nccl() {
    if (!ptp::test::has_cuda()) {
        return false;
    }
    const ExperimentFolder folder(epochs(1));
    const ProcessResult result = train(folder, "run");
    CAPTURE(result.errors);
    REQUIRE(result.status == 0);
    const std::string log = folder.read("run/run.log");
    CAPTURE(log);
    const bool is_built_without = has(log, "this build of ptp has no NCCL\n");
    REQUIRE(is_built_without != has(log, kWithNccl));
    return !is_built_without;
}

bool is_skipped() {
    static const bool is_tried = has_nccl();
    if (!is_tried) {
        MESSAGE("skipped: there is no CUDA device, or this build has no NCCL");
    }
    return !is_tried;
}

// Rank 1 does this in episode 7; both must end, rank 0 with the status, and one has these words.
void check_deed(const std::string& deed, int status, const std::string& words) {
    const ExperimentFolder folder(with_ranked("deed = \"" + deed + "\""));
    const ProcessResult said = train(
        folder, "run", {"--plugins", ptp::test::ranked_build("plain").parent_path().string()});
    CHECK(said.status == status);
    const std::string errors = comparable(folder, said.errors);
    CAPTURE(errors);
    CHECK(has(errors, words));
}

void check_same(const ExperimentFolder& folder, const std::string& left, const std::string& right) {
    CHECK(folder.read(left + kWeights) == folder.read(right + kWeights));
    CHECK(folder.read(left + "/training.csv") == folder.read(right + "/training.csv"));
}

}  // namespace

TEST_CASE("cuda ranks: with NCCL two processes have the losses of one, and the same bits twice") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(epochs(3));
    const ProcessResult one = run_on_gpu({(folder.path() / "experiment.toml").string(), "--run-dir",
                                          folder.run_folder("one"), "--set", kNoDropout},
                                         "");
    REQUIRE(one.status == 0);
    for (const char* name : {"two", "again"}) {
        const ProcessResult result = train(folder, name);
        CAPTURE(result.errors);
        REQUIRE(result.status == 0);
        CHECK(has(folder.read(std::string(name) + "/run.log"), kWithNccl));
    }
    const auto losses = [&](const std::string& name) {
        return column_of(folder.read(name + "/training.csv"), "loss");
    };
    CHECK(losses("one").size() == 18);
    CHECK(largest_difference(losses("two"), losses("one")) < 1e-4);
    check_same(folder, "again", "two");
}

TEST_CASE("cuda ranks: with NCCL a resumed run has the bits of the uninterrupted one") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(epochs(4));
    REQUIRE(train(folder, "at_once").status == 0);
    folder.write(epochs(2));
    REQUIRE(train(folder, "resumed").status == 0);
    const ProcessResult resumed =
        on_devices_of_their_own({"resume", folder.run_folder("resumed"), "--nproc", "2", "--set",
                                 "training.terminal_conditions.epoch_limit=4"});
    CAPTURE(resumed.errors);
    REQUIRE(resumed.status == 0);
    check_same(folder, "resumed", "at_once");
}

TEST_CASE("cuda ranks: with NCCL a process that throws is named with its error, and both end") {
    if (is_skipped()) {
        return;
    }
    check_deed("throw", 4,
               "rank 0 of 2 on HOST cannot continue, in episode 7, in the exchange of losses: rank "
               "1 of 2 on HOST has failed: FOLDER/experiment.toml:27:1: 'ranked' (Ranked): this "
               "sample cannot be had");
}

TEST_CASE("cuda ranks: with NCCL a process that never comes back is named, and both end") {
    if (is_skipped()) {
        return;
    }
    check_deed("stall", 7,
               "rank 1 of 2 on HOST has not come to where the others wait for it (training, "
               "episode 7, in component ranked");
}

}  // namespace cuda_ranks_test
