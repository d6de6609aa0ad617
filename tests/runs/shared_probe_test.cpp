// [records.probe] where several processes train: the files of one process, which leave no trace;
// and a component that cannot evaluate the samples, which ends no training.

#include "runs/interrupted.hpp"
#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/tensor_file.hpp"
#include "runs/together.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace shared_probe_test {

namespace {

using ptp::test::check_alike;
using ptp::test::check_done;
using ptp::test::ExperimentFolder;
using ptp::test::files_in;
using ptp::test::Lines;
using ptp::test::ProcessResult;
using ptp::test::run_together;
using ptp::test::TensorFile;
using ptp::test::with_ranked_plugin;
using ptp::test::without_folder;

constexpr const char* kProbe =
    "[records.probe]\nsamples = [5, 0, 9]\nstreams = [\"predictions\", \"targets\"]\n";
constexpr const char* kWeights = "/checkpoints/last/weights.safetensors";

// Batches of 5: some of four processes have one sample of them, or none.
const std::vector<std::string> kUneven = {"--set", "validation.task.batch_size=5",
                                          "--set", "training.task.batch_size=5",
                                          "--set", "pipeline.net.dropout_rate=0"};

Lines two_epochs(const std::string& rate, const std::string& pipeline) {
    return {.training = "optimizer = { type = \"SGD\", lr = " + rate +
                        " }\nterminal_conditions = { epoch_limit = 2 }\n",
            .pipeline = pipeline};
}

// A model that refuses three samples.
constexpr const char* kPicky =
    "[pipeline.picky]\ntype = \"Picky\"\nfreeze = true\n"
    "streams = { inputs = \"features\", outputs = \"picked\" }\n";

}  // namespace

TEST_CASE("shared probe: two to four processes write the file of one, with its weights its bits") {
    const ExperimentFolder folder;
    for (const char* rate : {"0.05", "1e-30"}) {
        CAPTURE(rate);
        folder.write(two_epochs(rate, kProbe));
        const std::string one = std::string("one") + rate;
        REQUIRE(folder.run(one, kUneven).status == 0);
        REQUIRE(files_in(folder.path() / one / "probe").size() == 2);
        for (const int count : {2, 3, 4}) {
            CAPTURE(count);
            const std::string run = std::to_string(count) + "_" + rate;
            for (const ProcessResult& rank : run_together(folder, run, count, kUneven)) {
                REQUIRE(rank.status == 0);
            }
            REQUIRE(files_in(folder.path() / run / "probe") ==
                    files_in(folder.path() / one / "probe"));
            for (const std::string& name : files_in(folder.path() / one / "probe")) {
                CAPTURE(name);
                const std::string found = folder.read(run + "/probe/" + name);
                const std::string wanted = folder.read(one + "/probe/" + name);
                check_alike(TensorFile(found), TensorFile(wanted));
                CHECK(TensorFile(found).numbers<std::int64_t>("index") ==
                      std::vector<std::int64_t>{5, 0, 9});
                if (rate == std::string("1e-30")) {  // the weights keep their bits
                    CHECK(found == wanted);
                }
            }
        }
    }
}

TEST_CASE("shared probe: it changes no bit of the weights, statistics, generators and states") {
    for (const char* section : {"training", "validation", "test"}) {
        CAPTURE(section);
        const ExperimentFolder folder;
        Lines lines = ptp::test::stateful(2);
        const std::vector<std::string> options = {"--set", "training.warm_up.episodes=8"};
        folder.write(lines);
        check_done(run_together(folder, "without", 2, options));
        lines.pipeline += std::string("[records.probe]\nsection = \"") + section + "\"\n";
        folder.write(lines);
        check_done(run_together(folder, "with", 2, options));
        for (const char* file :
             {kWeights, "/checkpoints/last/training.safetensors", "/training.csv",
              "/training_epochs.csv", "/validation.csv", "/test.csv"}) {
            CAPTURE(file);
            CHECK(folder.read(std::string("without") + file) ==
                  folder.read(std::string("with") + file));
        }
        CHECK(files_in(folder.path() / "with/probe").size() == 2);
    }
}

TEST_CASE("shared probe: buffers of each process, and what compares whole batches, see no trace") {
    for (const char* buffers : {"first", "mean", "own", "synchronized"}) {
        CAPTURE(buffers);
        const ExperimentFolder folder;
        const std::vector<std::string> options =
            with_ranked_plugin({"--set", std::string("distributed.buffers=\"") + buffers + "\""});
        Lines lines = ptp::test::with_ranked("is_normalizing = true");
        lines.pipeline +=
            "[pipeline.copied]\ntype = \"Centered\"\n"
            "streams = { inputs = \"passed\", outputs = \"centered\" }\n";
        lines.source = "centered";
        folder.write(lines);
        check_done(run_together(folder, "without", 2, options));
        lines.pipeline += "[records.probe]\n";
        folder.write(lines);
        check_done(run_together(folder, "with", 2, options));
        CHECK(folder.read(std::string("without") + kWeights) ==
              folder.read(std::string("with") + kWeights));
        CHECK(folder.read("without/validation.csv") == folder.read("with/validation.csv"));
        CHECK(files_in(folder.path() / "with/probe").size() == 2);
    }
}

TEST_CASE("shared probe: a component that refuses its samples ends the record, not the training") {
    const ExperimentFolder folder;
    const std::vector<std::string> options = with_ranked_plugin({});
    const char* const warning =
        "warning: records.probe is given up, the training continues: "
        "FOLDER/experiment.toml:31:1: 'picky' (Picky): inputs[1]: "
        "one of three\n"
        "    sample: 0\n"
        "    fix: correct the component, name other samples in records.probe.samples, or train "
        "without [records.probe]\n";
    folder.write(two_epochs("0.05", kPicky));
    REQUIRE(folder.run("without_1", options).status == 0);
    CHECK(run_together(folder, "without_2", 2, options)[0].status == 0);
    folder.write(two_epochs("0.05", std::string(kPicky) +
                                        "[records.probe]\nsamples = [5, 0, 9]\n"
                                        "streams = [\"predictions\", \"picked\"]\n"));
    const ProcessResult alone = folder.run("with_1", options);
    CHECK(without_folder(alone.errors, folder.path()) == warning);  // once
    CHECK(alone.status == 0);
    const std::vector<ProcessResult> ranks = run_together(folder, "with_2", 2, options);
    CHECK(without_folder(ranks[0].errors, folder.path()) == warning);
    CHECK(ranks[0].status == 0);
    CHECK(ranks[1].errors == "");
    CHECK(ranks[1].status == 0);
    for (const std::string count : {"1", "2"}) {
        CAPTURE(count);
        CHECK(folder.read("without_" + count + kWeights) ==
              folder.read("with_" + count + kWeights));
        CHECK(std::filesystem::is_empty(folder.path() / ("with_" + count) / "probe"));
    }
}

}  // namespace shared_probe_test
