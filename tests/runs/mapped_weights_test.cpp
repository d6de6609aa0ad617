// Weights of more than 64 MiB, which predictions use where they lie in the file.

#include "base/sha256.hpp"
#include "runs/bundled.hpp"
#include "runs/predictions.hpp"
#include "runs/support.hpp"
#include "support/peak_memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace mapped_weights_test {

namespace fs = std::filesystem;

using ptp::test::content_of;
using ptp::test::ExperimentFolder;
using ptp::test::predict;
using ptp::test::ProcessResult;
using ptp::test::write_content;

namespace {

constexpr double kMiB = 1 << 20;
constexpr int kWide = 5000;  // 5000 * 5000 weights of 4 bytes between the hidden layers

void train(const ExperimentFolder& folder, const std::string& name, int hidden) {
    folder.write({.training = "optimizer = { type = \"SGD\", lr = 0.01 }\n"
                              "terminal_conditions = { epoch_limit = 1 }\n"});
    const std::string size = std::to_string(hidden);
    const auto result = folder.run(
        name, {"--set", "pipeline.net.hidden_sizes=[" + size + "," + size + "]", "--quiet"});
    REQUIRE_MESSAGE(result.status == 0, result.errors);
}

// Moves the tensors of a checkpoint by 8 bytes, so that none of them can be used where it lies.
void misalign(const fs::path& checkpoint) {
    const fs::path file = checkpoint / "weights.safetensors";
    std::string weights = content_of(file);
    const std::string before = ptp::sha256(weights);
    std::uint64_t length = 0;
    std::memcpy(&length, weights.data(), sizeof(length));
    CHECK((sizeof(length) + length) % 64 == 0);
    weights.insert(sizeof(length) + length, 8, ' ');
    length += 8;
    std::memcpy(weights.data(), &length, sizeof(length));
    write_content(file, weights);
    std::string sums = content_of(checkpoint / "SHA256SUMS");
    sums.replace(sums.find(before), before.size(), ptp::sha256(weights));
    write_content(checkpoint / "SHA256SUMS", sums);
}

double peak_of(const std::string& model) {
    return ptp::test::peak_memory("ptprun", {"predict", model, "--data", "test", "--quiet"});
}

}  // namespace

TEST_CASE("large weights: predictions need their memory once, and have the bits of copied ones") {
    const ExperimentFolder folder;
    train(folder, "small", 16);
    train(folder, "large", kWide);
    const std::string run = folder.run_folder("large");
    const std::string bundle = (folder.path() / "large.ptpm").string();
    REQUIRE(ptp::test::ptprun({"bundle", run, "-o", bundle}).status == 0);
    const std::string of_run = predict({run, "--data", "test", "--quiet"}).output;
    CHECK(ptp::test::rows_of(of_run).size() == 16);
    const auto whole = content_of(fs::path(run) / "checkpoints/best/weights.safetensors");
    REQUIRE(static_cast<double>(whole.size()) > 64 * kMiB);
    const double others = peak_of(folder.run_folder("small"));
    for (const std::string& model : {run, bundle}) {
        CAPTURE(model);
        CHECK(predict({model, "--data", "test", "--quiet"}).output == of_run);
        CHECK(peak_of(model) < others + static_cast<double>(whole.size()) + 40 * kMiB);
    }
    // No prediction has written into the file.
    CHECK((content_of(fs::path(run) / "checkpoints/best/weights.safetensors") == whole));

    misalign(fs::path(run) / "checkpoints/best");
    CHECK(predict({run, "--data", "test", "--quiet"}).output == of_run);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they must be loaded first

TEST_CASE("large weights: no result is kept of those that were changed while they were used") {
    const ExperimentFolder folder;
    train(folder, "run", kWide);
    const std::string run = folder.run_folder("run");
    const std::string weights =
        fs::canonical(run + "/checkpoints/best/weights.safetensors").string();
    const std::string changed =
        weights +
        ": was changed while its weights were used\n"
        "    fix: load it again; put another file in its place by renaming it, not by writing into "
        "this one\n";
    const auto run_written = [&](std::vector<std::string> command, const std::string& output) {
        fs::last_write_time(weights, fs::file_time_type::clock::now());
        command.push_back(folder.run_folder(output));
        return ptp::test::run_program(
            "ptprun", command,
            {{"LD_PRELOAD", (ptp::test::build_dir() / "tests/write_into.so").string()},
             {"PTP_TEST_WRITTEN", weights},
             {"OMP_NUM_THREADS", "1"}});
    };
    struct Case {
        std::vector<std::string> command;
        std::string output;
        std::string result;  // that is not there
    };
    const std::vector<Case> cases = {
        {{"predict", run, "--data", "test", "-o"}, "p.csv", "p.csv"},
        {{"process", run, "--run-dir"}, "processed", "processed/test.csv"},
        {{"explain-prediction", run, "--data", "test", "--samples", "1", "--method", "saliency",
          "-o"},
         "maps",
         "maps/explanations.json"},
        {{"export", run, "-o"}, "net.onnx", "net.onnx"},
        {{"export", run, "-o"}, "net.safetensors", "net.safetensors"}};
    for (const Case& one : cases) {
        CAPTURE(one.result);
        const ProcessResult result = run_written(one.command, one.output);
        CHECK_MESSAGE(result.errors.ends_with("ptprun: error: " + changed), result.errors);
        CHECK(result.status == 4);
        CHECK_FALSE(folder.has(one.result));
    }
    const ProcessResult bundled = run_written({"bundle", run, "-o"}, "model.ptpm");
    CHECK(bundled.errors ==
          "ptprun: warning: stores no samples, so that it cannot test itself where it is used: " +
              changed);
}

#endif

}  // namespace mapped_weights_test
