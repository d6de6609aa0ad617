// Plugins as they were built for earlier versions of the ABI, kept as binaries: every later host
// must run them. tests/abi/README.md says how each was built.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kept_plugin_test {

namespace fs = std::filesystem;
using namespace ptp::test;

#ifdef __x86_64__

namespace {

fs::path kept_folder(const std::string& revision) {
    return ptp::test::source_dir() / "tests/abi" / revision / "plugins";
}

// Those whose samples are kept, the oldest first.
std::vector<std::string> kept_revisions() {
    std::vector<std::string> revisions;
    for (const auto& entry : fs::directory_iterator(ptp::test::source_dir() / "tests/abi")) {
        if (fs::exists(entry.path() / "plugins/kept_samples.so")) {
            revisions.push_back(entry.path().filename().string());
        }
    }
    std::ranges::sort(revisions);
    REQUIRE(revisions.size() >= 3);
    return revisions;
}

// A task, a transform, a statistic and a viewer of the kept plugin around a model of today.
std::string experiment_with_samples() {
    const auto task = [](const std::string& section) {
        return "[" + section + ".task]\ntype = \"KeptNumbers\"\nbatch_size = 8\n";
    };
    return "seed = 5\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
           "terminal_conditions = { epoch_limit = 3 }\n" +
           task("training") + task("validation") + task("test") +
           "[pipeline.scale]\ntype = \"KeptScale\"\nfactor = 0.5\n"
           "streams = { inputs = \"numbers\", outputs = \"scaled\" }\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [8]\n"
           "streams = { inputs = \"scaled\" }\nglobals = { prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n"
           "[pipeline.mean]\ntype = \"KeptMean\"\nstreams = { inputs = \"scaled\" }\n"
           "[pipeline.viewer]\ntype = \"KeptViewer\"\nstreams = { inputs = \"scaled\" }\n";
}

// Of the 32 samples of the task, halved: the generator of kept_samples.c once more.
double mean_of_samples() {
    constexpr std::uint64_t kFactor = 6364136223846793005U;
    constexpr std::uint64_t kIncrement = 1442695040888963407U;
    double sum = 0;
    for (std::uint64_t sample = 0; sample < 32; ++sample) {
        std::uint64_t bits = sample * kFactor + kIncrement;
        for (int k = 0; k < 4; ++k) {
            bits = bits * kFactor + kIncrement;
            sum += 0.5 * static_cast<double>(bits >> 40U) / 16777216.0;
        }
    }
    return sum / 128;
}

}  // namespace

TEST_CASE("kept plugin: one in plain C, built for ABI 1.2, runs and changes no bit") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("without").status == 0);

    folder.write({.pipeline = "[pipeline.scale]\ntype = \"Scale\"\nfactor = 1.0\n"
                              "streams = { inputs = \"features\", outputs = \"scaled\" }\n",
                  .source = "scaled"});
    require_success(folder.run("with", {"--plugins", kept_folder("1.2").string()}));
    CHECK(folder.read("with/training.csv") == folder.read("without/training.csv"));
    CHECK(folder.read("with/test.csv") == folder.read("without/test.csv"));
}

TEST_CASE("kept plugin: a task, a transform, a statistic and a viewer of every revision train") {
    TempFolder folder;
    const fs::path experiment = folder.write("experiment.toml", experiment_with_samples());
    std::string first;
    for (const std::string& revision : kept_revisions()) {
        CAPTURE(revision);
        require_success(
            ptprun({experiment.string(), "--run-dir", (folder.path() / revision).string(),
                    "--plugins", kept_folder(revision).string()}));
        const std::string tested = folder.read(fs::path(revision) / "test.csv");
        const double mean = std::stod(ptp::test::last_value(tested, "kept_mean"));
        CHECK(mean == doctest::Approx(mean_of_samples()).epsilon(1e-6));
        const std::string numbers = folder.read(fs::path(revision) / "training.csv") + tested;
        first = first.empty() ? numbers : first;
        CHECK(numbers == first);
        CHECK(folder.read(fs::path(revision) / "run.log")
                  .find("test, batch of 8: the first number is ") != std::string::npos);
    }
}

TEST_CASE("kept plugin: one of every revision is listed with its ABI, and keeps the rules") {
    for (const std::string& revision : kept_revisions()) {
        CAPTURE(revision);
        const std::string file = (kept_folder(revision) / "kept_samples.so").string();
        const ProcessResult listed = run_program("ptp-inspect", {file});
        CHECK(listed.status == 0);
        CHECK(listed.output.find("\n  ABI " + revision + ", without libtorch, cc ") !=
              std::string::npos);
        const ProcessResult checked = run_program("ptp-inspect", {"--check", file});
        CHECK(checked.errors == "");
        CHECK_MESSAGE(checked.status == 0, checked.output);
    }
}

TEST_CASE("kept plugin: one for an ABI that is newer than the host is refused") {
    TempFolder folder;
    std::ifstream in(kept_folder("1.2") / "kept_samples.so", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const std::string declared = "\"abi_minor\":2";
    const std::size_t place = bytes.find(declared);
    REQUIRE(place != std::string::npos);
    bytes[place + declared.size() - 1] = '8';
    const fs::path file = folder.write("newer/kept_samples.so", bytes);
    REQUIRE(run_program("ptp-manifest", {"--seal", file.string()}).status == 0);
    const std::string refusal =
        "built for ABI 1.8, this host has 1.6\n"
        "    fix: use a newer host, or rebuild the plugin with this host's SDK\n";
    CHECK(run_program("ptp-inspect", {file.string()}).errors ==
          "ptp-inspect: error: " + file.string() + ": " + refusal);

    const fs::path experiment = folder.write("experiment.toml", experiment_with_samples());
    const ProcessResult result =
        run_program("ptprun", {experiment.string(), "--run-dir", (folder.path() / "run").string(),
                               "--plugins", file.parent_path().string()});
    CHECK(result.status == 2);
    const std::string reason = "    not usable: " + file.string() + ": " + refusal;
    CHECK_MESSAGE(result.errors.find(reason) != std::string::npos, result.errors);
    CHECK_FALSE(fs::exists(folder.path() / "run"));
}

#endif

}  // namespace kept_plugin_test
