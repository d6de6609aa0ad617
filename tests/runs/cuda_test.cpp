// Whole runs on a CUDA device: `./dev test --label cuda`, skipped where there is none. What they
// promise is what docs/training.md states.

#include "experiment/libtorch_version.hpp"
#include "runs/cuda_device.hpp"
#include "runs/interrupted.hpp"
#include "runs/predictions.hpp"
#include "runs/support.hpp"
#include "runs/together.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <vector>

namespace cuda_test {

using namespace ptp::test;

namespace {

constexpr const char* kDevice = "cuda";
constexpr const char* kWeights = "/checkpoints/last/weights.safetensors";
constexpr const char* kToFour = "training.terminal_conditions.epoch_limit=4";

bool is_skipped() {
    if (ptp::test::has_cuda()) {
        return false;
    }
    MESSAGE("skipped: there is no CUDA device, or libtorch computes without CUDA");
    return true;
}

// A training without dropout, that differs from one on the CPU by rounding alone.
Lines plain(const std::string& more = "", int epochs = 4) {
    return {.training = "optimizer = { type = \"Adam\", lr = 0.01 }\n" + more +
                        "terminal_conditions = { epoch_limit = " + std::to_string(epochs) +
                        ", early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"};
}

ProcessResult train(const ExperimentFolder& folder, const std::string& name,
                    std::vector<std::string> options, const std::string& device = kDevice) {
    options.insert(options.end(), {"--device", device});
    const ProcessResult result = folder.run(name, options);
    CAPTURE(result.errors);
    REQUIRE(result.status == 0);
    return result;
}

std::vector<std::string> without_dropout(std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--set", "pipeline.net.dropout_rate=0.0"});
    return options;
}

std::vector<double> losses_of(const ExperimentFolder& folder, const std::string& name) {
    return column_of(folder.read(name + "/training.csv"), "loss");
}

bool have_same_weights(const ExperimentFolder& folder, const std::string& left,
                       const std::string& right) {
    return folder.read(left + kWeights) == folder.read(right + kWeights);
}

ProcessResult resume(const ExperimentFolder& folder, const std::string& name,
                     const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"resume", folder.run_folder(name)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    ProcessResult result = ptp::test::run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
    CAPTURE(result.errors);
    REQUIRE(result.status == 0);
    return result;
}

}  // namespace

TEST_CASE("cuda: the losses are those of the CPU to rounding, and the run names the device") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(plain());
    train(folder, "cpu", without_dropout(), "cpu");
    train(folder, "gpu", without_dropout());
    CHECK(losses_of(folder, "gpu").size() == 24);
    CHECK(largest_difference(losses_of(folder, "gpu"), losses_of(folder, "cpu")) < 1e-4);
    CHECK(folder.read("gpu/run.json").find("\"device\": \"cuda:0\"") != std::string::npos);
}

TEST_CASE("cuda: the same seed has the same bits, whatever the number of loader threads") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(ptp::test::stateful(3));
    train(folder, "first", ptp::test::often());
    train(folder, "second", ptp::test::often());
    ptp::test::check_same_results(folder, "first", "second");
    for (const char* workers : {"0", "3"}) {
        const std::string name = std::string("workers_") + workers;
        train(folder, name, {"--set", std::string("training.dataloader.num_workers=") + workers});
        CHECK(have_same_weights(folder, name, "first"));
    }
}

TEST_CASE("cuda: a resumed run has the bits of the uninterrupted one") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(ptp::test::stateful(4));
    train(folder, "at_once", {});
    folder.write(ptp::test::stateful(2));
    train(folder, "resumed", {});
    resume(folder, "resumed", {"--set", kToFour});
    CHECK(have_same_weights(folder, "resumed", "at_once"));
    CHECK(folder.read("resumed/training.csv") == folder.read("at_once/training.csv"));
}

TEST_CASE("cuda: a run that moves to another device differs from one that stays by rounding") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(plain());
    train(folder, "at_once", without_dropout());
    const std::vector<double> losses = losses_of(folder, "at_once");
    folder.write(plain("", 2));
    struct Move {
        const char* from;
        const char* to;
    };
    for (const Move& move : {Move{kDevice, "cpu"}, Move{"cpu", kDevice}}) {
        CAPTURE(move.to);
        const std::string name = std::string("to_") + move.to;
        train(folder, name, without_dropout(), move.from);
        resume(folder, name, {"--device", move.to, "--set", kToFour});
        CHECK(losses_of(folder, name).size() == losses.size());
        CHECK(largest_difference(losses_of(folder, name), losses) < 1e-4);
    }
    CHECK(folder.read("to_cpu/run.log").find("the checkpoint was written on a CUDA device") !=
          std::string::npos);
}

TEST_CASE("cuda: plugins that are exchanged for copies of themselves change no bit") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(ptp::test::stateful(3));
    const ProcessResult result = train(folder, "swapped", {"--swap-check", "6"});
    CAPTURE(result.output);
    CHECK(result.output.find("\nthe swaps have changed no bit; ") != std::string::npos);
}

TEST_CASE("cuda: bf16 and fp16 learn, and a step whose gradients overflow is skipped and logged") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder;
    for (const char* precision : {"bf16", "fp16"}) {
        CAPTURE(precision);
        folder.write(plain("precision = \"" + std::string(precision) + "\"\n"));
        train(folder, precision, without_dropout());
        const std::vector<double> losses = losses_of(folder, precision);
        CHECK(losses.back() < losses.front());
    }
    folder.write(plain("precision = \"fp16\"\nloss_weights = { loss = 100.0 }\n"));
    train(folder, "overflow", without_dropout());
    const std::string log = folder.read("overflow/run.log");
    CAPTURE(log);
    CHECK(log.find("scaled by") != std::string::npos);
    CHECK(losses_of(folder, "overflow").back() < losses_of(folder, "overflow").front());
}

TEST_CASE(
    "cuda: without memory the run ends with 5 and names the component, and a resume continues") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder;
    const auto lines = [](const std::string& refused) {
        Lines lines = plain();
        lines.pipeline =
            "[pipeline.spoiler]\ntype = \"Spoiler\"\n"
            "streams = { inputs = \"features\", outputs = \"spoilt\" }\n" +
            refused;
        lines.source = "spoilt";
        return lines;
    };
    folder.write(lines(""));
    train(folder, "undisturbed", ptp::test::with_witness(without_dropout()));
    struct Case {
        const char* name;
        const char* message;
    };
    // Episode 7 is the second one of epoch 2.
    for (const Case& c :
         {Case{"no_memory",
               "'spoiler' \\(Spoiler\\) of plugin 'witness' 0\\.1\\.0: forward\\(\\) failed: "
               "[^\\n]*CUDA out of memory\\. Tried to allocate 4096\\.00 GiB"},
          Case{
              "no_memory_backward",
              "the backward pass of episode 7 \\(epoch 2\\) failed: CUDA out of memory\\. Tried to "
              "allocate 4096\\.00 GiB"}}) {
        CAPTURE(c.name);
        folder.write(lines(std::string(c.name) + " = [7]\n"));
        std::vector<std::string> options = ptp::test::with_witness(without_dropout());
        options.insert(options.end(), {"--device", kDevice});
        const ProcessResult result = folder.run(c.name, options);
        CAPTURE(result.errors);
        CHECK(result.status == 5);
        CHECK(std::regex_search(result.errors, std::regex(c.message)));
        CHECK(result.errors.find("    fix: there is not enough memory; a smaller batch_size") !=
              std::string::npos);
        resume(folder, c.name, {});
        CHECK(have_same_weights(folder, c.name, "undisturbed"));
    }
}

TEST_CASE("cuda: a device that is not there is refused by its number") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(plain());
    const ProcessResult result = folder.run("run", {"--device", "cuda:63"});
    CHECK(result.status == 2);
    CHECK(std::regex_match(
        result.errors,
        std::regex("ptprun: error: device = \"cuda:63\": the (one CUDA device here is cuda:0|"
                   "[0-9]+ CUDA devices here are cuda:0 to cuda:[0-9]+)\n")));
}

TEST_CASE("cuda: process and predict have the numbers of the CPU to rounding") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(plain());
    train(folder, "run", without_dropout());
    const auto loss_on = [&](const std::string& device) {
        const ProcessResult result =
            ptp::test::ptprun({"process", folder.run_folder("run"), "--run-dir",
                               folder.run_folder(device), "--device", device});
        CAPTURE(result.errors);
        REQUIRE(result.status == 0);
        return std::stod(ptp::test::last_value(folder.read(device + "/test.csv"), "loss"));
    };
    CHECK(loss_on(kDevice) == doctest::Approx(loss_on("cpu")).epsilon(1e-4));
    const auto scores_on = [&](const std::string& device) {
        const std::string file = device + "_predictions.csv";
        REQUIRE(ptp::test::predict({folder.run_folder("run"), "--data", "test", "-o",
                                    folder.run_folder(file), "--device", device})
                    .status == 0);
        return column_of(folder.read(file), "loss");
    };
    CHECK(largest_difference(scores_on(kDevice), scores_on("cpu")) < 1e-4);
}

TEST_CASE("cuda: two processes on one device have the losses of one, and the log has what sums") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder(plain());
    train(folder, "one", without_dropout());
    train(folder, "two", without_dropout({"--nproc", "2"}));
    CHECK(largest_difference(losses_of(folder, "two"), losses_of(folder, "one")) < 1e-4);
    const std::string log = folder.read("two/run.log");
    CAPTURE(log);
    CHECK(std::regex_search(
        log,
        std::regex(
            "2 processes share 1 CUDA device; one process at a time computes on a "
            "device, and gloo sums the gradients, in the memory of the CPU; as many "
            "processes as devices are faster\n|gloo sums the gradients, in the memory of the CPU: "
            "this build of ptp has no NCCL\n")));
}

TEST_CASE("cuda: augmentations of what a model has computed draw what they draw on the CPU") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder;
    Lines lines = plain();
    lines.pipeline =
        "[pipeline.spoiler]\ntype = \"Spoiler\"\n"
        "streams = { inputs = \"features\", outputs = \"computed\" }\n"
        "[pipeline.square]\ntype = \"ReshapeTensor\"\n"
        "globals = { output_size = \"square_size\" }\ninput_dims = [-1, 4]\n"
        "output_dims = [-1, 1, 2, 2]\n"
        "streams = { inputs = \"computed\", outputs = \"images\" }\n"
        "[pipeline.crop]\ntype = \"RandomCrop\"\npadding = 1\n"
        "streams = { inputs = \"images\", outputs = \"cropped\" }\n"
        "[pipeline.flip]\ntype = \"RandomFlip\"\nvertical = 0.5\n"
        "streams = { inputs = \"cropped\", outputs = \"flipped\" }\n"
        "[pipeline.jitter]\ntype = \"ColorJitter\"\nbrightness = 0.5\ncontrast = 0.5\n"
        "streams = { inputs = \"flipped\", outputs = \"augmented\" }\n"
        "[pipeline.plain]\ntype = \"ReshapeTensor\"\n"
        "globals = { output_size = \"plain_size\" }\ninput_dims = [-1, 1, 2, 2]\n"
        "output_dims = [-1, 4]\n"
        "streams = { inputs = \"augmented\", outputs = \"row\" }\n";
    lines.source = "row";
    folder.write(lines);
    train(folder, "cpu", ptp::test::with_witness(without_dropout()), "cpu");
    train(folder, "gpu", ptp::test::with_witness(without_dropout()));
    CHECK(largest_difference(losses_of(folder, "gpu"), losses_of(folder, "cpu")) < 1e-4);
}

TEST_CASE("cuda: steps are fused where the experiment does not state it") {
    using namespace ptp::experiment;
    if (is_skipped() || !is_from(libtorch_version(), kFirstWithFusedSteps)) {
        return;
    }
    const ExperimentFolder folder;
    for (const char* option : {"", ", fused = true", ", fused = false"}) {
        folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.01" + std::string(option) +
                                  " }\nterminal_conditions = { epoch_limit = 4 }\n"});
        train(folder, std::string("run") + option, {});
    }
    CHECK(have_same_weights(folder, "run", "run, fused = true"));
    CHECK(!have_same_weights(folder, "run", "run, fused = false"));
}

// The library counts the calls that wait for the device. Of a step: the losses together, the
// targets that the loss and the statistic check, and what the statistic counts; and each tensor of
// a checkpoint is copied once.
TEST_CASE("cuda: an epoch of 6 steps, 2 batches of validation and 2 checkpoints waits 52 times") {
    if (is_skipped()) {
        return;
    }
    const ExperimentFolder folder;
    const auto waits = [&](int epochs) {
        folder.write(plain("", epochs));
        const std::string name = "waits_" + std::to_string(epochs);
        const std::string counts = folder.run_folder(name + ".txt");
        const ProcessResult result = ptp::test::run_program(
            "ptprun",
            {(folder.path() / "experiment.toml").string(), "--run-dir", folder.run_folder(name),
             "--device", kDevice},
            {{"OMP_NUM_THREADS", "1"},
             {"LD_PRELOAD", (ptp::test::build_dir() / "tests/count_waits.so").string()},
             {"PTP_TEST_WAITS", counts}});
        CAPTURE(result.errors);
        REQUIRE(result.status == 0);
        return std::stoi(folder.read(name + ".txt"));
    };
    constexpr int kMaxWaits = 52;
    const int per_epoch = (waits(12) - waits(4)) / 8;
    CHECK(per_epoch > 0);
    CHECK(per_epoch <= kMaxWaits);
}

}  // namespace cuda_test
