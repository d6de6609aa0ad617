// [records.probe]: what the model returns for the same samples after each epoch, which leaves no
// trace in the training.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "runs/tensor_file.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace probe_test {

using nlohmann::json;
using namespace ptp::test;

namespace {

constexpr const char* kRecords = "[records.probe]\n";

std::string errors_of(const std::string& lines) {
    const ExperimentFolder folder({.pipeline = kRecords + lines});
    const auto result = folder.run("run");
    CHECK(result.status == 2);
    return ptp::test::without_folder(result.errors, folder.path());
}

}  // namespace

TEST_CASE("probe: after each epoch a file has what the model returns for the same samples") {
    const ExperimentFolder folder(
        {.pipeline = std::string(kRecords) +
                     "samples = [5, 0, 9]\nstreams = [\"predictions\", \"targets\"]\n"});
    require_success(folder.run("run"));
    // 6 episodes in each of 3 epochs.
    CHECK(files_in(folder.path() / "run/probe") ==
          std::set<std::string>{"probe_000005.safetensors", "probe_000011.safetensors",
                                "probe_000017.safetensors"});
    std::vector<float> before;
    for (const char* file : {"probe_000005", "probe_000011", "probe_000017"}) {
        CAPTURE(file);
        const TensorFile probe(folder.read(std::string("run/probe/") + file + ".safetensors"));
        CHECK(probe.header().at("__metadata__").at("format") == "1");
        CHECK(probe.numbers<std::int64_t>("index") == std::vector<std::int64_t>{5, 0, 9});
        CHECK(probe.numbers<std::int64_t>("targets") == std::vector<std::int64_t>{1, 0, 1});
        CHECK(probe.header().at("predictions").at("shape") == json({3, 10}));
        const std::vector<float> now = probe.numbers<float>("predictions");
        CHECK(now != before);
        double sum = 0;  // of the probabilities of the first sample
        for (std::size_t i = 0; i < 10; ++i) {
            sum += std::exp(now[i]);
        }
        CHECK(sum == doctest::Approx(1));
        before = now;
    }
}

TEST_CASE("probe: by default it has the first samples of the validation set, of each n-th epoch") {
    const ExperimentFolder folder({.pipeline = std::string(kRecords) + "every_epochs = 2\n"});
    REQUIRE(folder.run("run").status == 0);
    CHECK(files_in(folder.path() / "run/probe") ==
          std::set<std::string>{"probe_000011.safetensors"});
    const TensorFile probe(folder.read("run/probe/probe_000011.safetensors"));
    CHECK(probe.numbers<std::int64_t>("index") ==
          std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7});  // a batch
    CHECK(probe.header().contains("predictions"));
    CHECK(probe.header().size() == 3);
}

TEST_CASE("probe: it changes no bit of the weights, statistics, generators and states") {
    for (const char* section : {"training", "validation", "test"}) {
        CAPTURE(section);
        const ExperimentFolder folder;
        ptp::test::Lines lines = ptp::test::stateful(3);
        folder.write(lines);
        REQUIRE(folder.run("without").status == 0);
        lines.pipeline += std::string(kRecords) + "section = \"" + section + "\"\n";
        folder.write(lines);
        REQUIRE(folder.run("with").status == 0);
        for (const char* file :
             {"checkpoints/last/weights.safetensors", "checkpoints/last/training.safetensors",
              "training.csv", "training_epochs.csv", "validation.csv", "test.csv"}) {
            CAPTURE(file);
            CHECK(folder.read(std::string("without/") + file) ==
                  folder.read(std::string("with/") + file));
        }
        CHECK(files_in(folder.path() / "with/probe").size() == 3);
    }
}

TEST_CASE("probe: samples that are not there, too many, or in no section are refused") {
    CHECK(errors_of("samples = [3, 16]\n") ==
          "ptprun: error: records.probe.samples: there is no sample 16: the task of [validation] "
          "has 16\n    fix: take numbers from 0 to 15\n");
    CHECK(errors_of("samples = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n") ==
          "ptprun: error: records.probe.samples: 9 samples are more than a batch of [validation], "
          "which has 8\n    fix: take 8 or fewer\n");
    CHECK(
        errors_of("section = \"valid\"\n") ==
        "FOLDER/experiment.toml:32:11: error: records.probe.section = \"valid\": unknown section; "
        "did you mean 'validation'?\n");
    CHECK(errors_of("streams = [\"prediction\"]\n") ==
          "FOLDER/experiment.toml:32:12: error: records.probe.streams = \"prediction\": unknown "
          "stream; did you mean 'predictions'?\n");
}

}  // namespace probe_test
