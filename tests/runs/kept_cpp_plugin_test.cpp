// Plugins in C++ with libtorch as they were built for earlier versions of the ABI, kept as
// binaries: every later host with the same libtorch must run them. tests/abi/README.md says how
// each was built.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kept_cpp_plugin_test {

namespace fs = std::filesystem;
using namespace ptp::test;

#ifdef __x86_64__

namespace {

fs::path kept_plugin(const std::string& revision) {
    return ptp::test::source_dir() / "tests/abi" / revision / "cpp_plugins/kept_cpp_samples.so";
}

// Those whose sample is kept, the oldest first.
std::vector<std::string> kept_revisions() {
    std::vector<std::string> revisions;
    for (const auto& entry : fs::directory_iterator(ptp::test::source_dir() / "tests/abi")) {
        if (fs::exists(kept_plugin(entry.path().filename().string()))) {
            revisions.push_back(entry.path().filename().string());
        }
    }
    std::ranges::sort(revisions);
    REQUIRE(revisions.size() >= 3);
    return revisions;
}

// A plugin in C++ is bound to a release of libtorch and to a standard library. Another host than
// those of the kept ones refuses them, with the reason.
bool is_other_host() {
    const std::string file = kept_plugin("1.0").string();
    const ProcessResult result = run_program("ptp-inspect", {"--check", file});
    const std::size_t reason = result.output.find("built for ");
    if (result.status == 0 || reason == std::string::npos) {
        return false;
    }
    const std::string text =
        result.output.substr(reason, result.output.find('\n', reason) - reason);
    MESSAGE("skipped: the kept plugins in C++ are " << text);
    return true;
}

constexpr int kSamples = 16;
constexpr int kEpochs = 30;
constexpr double kRate = 0.5;

std::string experiment_with_samples() {
    return "seed = 3\n[training]\ntask = { type = \"KeptLine\", batch_size = 16 }\n"
           "optimizer = { type = \"SGD\", lr = 0.5 }\n"
           "terminal_conditions = { epoch_limit = 30, early_stop_validations = 0, "
           "loss_stop_threshold = 0.0 }\n"
           "[validation]\ntask = { type = \"KeptLine\", batch_size = 16 }\n"
           "[pipeline.net]\ntype = \"KeptLinear\"\n"
           "[pipeline.squares]\ntype = \"KeptSquares\"\n";
}

struct Expected {
    double loss = 0;   // of the last batch, before its step
    double error = 0;  // the mean of its differences
};

// Steps of gradient descent on all samples at once, in double precision.
Expected expected_after(int steps) {
    std::array<double, 3> weights{};  // of a, of b, and alone
    Expected last;
    for (int step = 0; step < steps; ++step) {
        last = {};
        std::array<double, 3> gradient{};
        for (int i = 0; i < kSamples; ++i) {
            const double a = i / 16.0;
            const double b = i * 5 % 16 / 16.0;
            const double difference =
                weights[0] * a + weights[1] * b + weights[2] - (2 * a - b + 0.5);
            last.loss += difference * difference / kSamples;
            last.error += difference / kSamples;
            gradient[0] += 2 * difference * a / kSamples;
            gradient[1] += 2 * difference * b / kSamples;
            gradient[2] += 2 * difference / kSamples;
        }
        for (std::size_t k = 0; k < weights.size(); ++k) {
            weights[k] -= kRate * gradient[k];
        }
    }
    return last;
}

}  // namespace

TEST_CASE("kept plugin: a task, a model and a loss in C++ of every revision train and resume") {
    if (is_other_host()) {
        return;
    }
    TempFolder folder;
    const fs::path experiment = folder.write("experiment.toml", experiment_with_samples());
    const Expected expected = expected_after(kEpochs);
    CHECK(expected.loss < 0.02);
    std::string first;
    for (const std::string& revision : kept_revisions()) {
        CAPTURE(revision);
        const std::string run = (folder.path() / revision).string();
        require_success(ptprun({experiment.string(), "--run-dir", run, "--set",
                                "training.terminal_conditions.epoch_limit=10", "--plugins",
                                kept_plugin(revision).parent_path().string()}));
        // The weights and the buffer are restored by the plugin that the run has kept.
        require_success(
            ptprun({"resume", run, "--set", "training.terminal_conditions.epoch_limit=30"}));
        const std::string numbers = folder.read(fs::path(revision) / "training.csv");
        CHECK(std::stod(ptp::test::last_value(numbers, "loss")) ==
              doctest::Approx(expected.loss).epsilon(1e-4));
        CHECK(std::stod(ptp::test::last_value(numbers, "kept_error")) ==
              doctest::Approx(expected.error).epsilon(1e-3));
        first = first.empty() ? numbers : first;
        CHECK(numbers == first);
    }
}

TEST_CASE("kept plugin: one in C++ of every revision is listed with its ABI, and keeps the rules") {
    if (is_other_host()) {
        return;
    }
    for (const std::string& revision : kept_revisions()) {
        CAPTURE(revision);
        const std::string file = kept_plugin(revision).string();
        const ProcessResult listed = run_program("ptp-inspect", {file});
        CHECK_MESSAGE(listed.output.find("ABI " + revision + ", ") != std::string::npos,
                      listed.output);
        const ProcessResult checked = run_program("ptp-inspect", {"--check", file});
        CHECK(checked.errors == "");
        CHECK_MESSAGE(checked.status == 0, checked.output);
    }
}

#endif

}  // namespace kept_cpp_plugin_test
