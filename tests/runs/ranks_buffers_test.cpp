// What becomes of the buffers of batch normalization in several processes.

#include "runs/ranks.hpp"
#include "runs/support.hpp"
#include "runs/together.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace ranks_buffers_test {

using namespace ptp::test;

namespace {

constexpr const char* kWeights = "/checkpoints/last/weights.safetensors";

// With a batch normalization before the net; these are lines of it and of [training].
Lines with_norm(const std::string& norm, const std::string& training) {
    Lines lines = ptp::test::with_ranked("is_normalizing = true\n" + norm);
    lines.training = training;
    return lines;
}

std::vector<std::string> with_plugin(std::vector<std::string> options) {
    options.insert(options.end(), {"--plugins", ranked_build("plain").parent_path().string(),
                                   "--set", "pipeline.net.dropout_rate=0"});
    return options;
}

// The running means of the normalization, after a run.
std::vector<float> means_in(const ExperimentFolder& folder, const std::string& run) {
    const std::string bytes =
        ptp::test::tensor_in(folder.read(run + kWeights), "ranked.norm.running_mean");
    std::vector<float> means(bytes.size() / sizeof(float));
    std::memcpy(means.data(), bytes.data(), bytes.size());
    return means;
}

void check_all_done(const std::vector<ProcessResult>& ranks) {
    for (const ProcessResult& rank : ranks) {
        CHECK(ptp::test::without_warnings(rank.errors, "the checkpoint ") == "");
        CHECK(rank.status == 0);
    }
}

}  // namespace

TEST_CASE("ranks: synchronized batch normalization has the losses and buffers of one process") {
    const ExperimentFolder folder(with_norm("",
                                            "optimizer = { type = \"SGD\", lr = 0.05 }\n"
                                            "terminal_conditions = { epoch_limit = 2 }\n"));
    // The last batch of an epoch has 3 samples, which one of four processes has: the module refuses
    // a single one.
    const std::vector<std::string> options = with_plugin(
        {"--set", "training.task.batch_size=5", "--set", "validation.task.batch_size=5", "--set",
         "distributed.buffers=\"synchronized\"", "--set", "distributed.timeout=\"20s\""});
    REQUIRE(folder.run("one", options).status == 0);
    std::vector<ProcessResult> four = run_together(folder, "four", 4, options);
    CHECK(ptp::test::without_warnings(four.front().errors, "the checkpoint ") ==
          "warning: training.task.batch_size = 5: 2 of 4 processes never have a sample: the batch "
          "is that of all processes, and synchronized buffers need two samples in each\n"
          "    fix: --nproc 2\n         --set training.task.batch_size=8\n");
    CHECK(four.front().status == 0);
    four.erase(four.begin());
    check_all_done(four);
    for (const char* const table : {"/training.csv", "/validation.csv"}) {
        CAPTURE(table);
        const std::vector<double> alone =
            column_of(folder.read(std::string("one") + table), "loss");
        CHECK(largest_difference(column_of(folder.read(std::string("four") + table), "loss"),
                                 alone) < 1e-5);
    }
}

TEST_CASE(
    "ranks: with buffers of their own, processes resume with the bits of an uninterrupted run") {
    const ExperimentFolder folder;
    const auto write = [&folder](int epochs) {
        folder.write(with_norm("",
                               "optimizer = { type = \"SGD\", lr = 0.05 }\n"
                               "terminal_conditions = { epoch_limit = " +
                                   std::to_string(epochs) + " }\n"));
    };
    const std::vector<std::string> options = with_plugin({"--set", "distributed.buffers=\"own\""});
    write(2);
    check_all_done(run_together(folder, "whole", 2, options));
    write(1);
    check_all_done(run_together(folder, "parts", 2, options));
    check_all_done(run_together(2, {"resume", folder.run_folder("parts"), "--set",
                                    "training.terminal_conditions.epoch_limit=2"}));
    CHECK(folder.read("parts/validation.csv") == folder.read("whole/validation.csv"));
    CHECK((folder.read(std::string("parts") + kWeights) ==
           folder.read(std::string("whole") + kWeights)));
}

TEST_CASE("ranks: a checkpoint without the buffers that each process should have is reported") {
    const ExperimentFolder folder(with_norm("",
                                            "optimizer = { type = \"SGD\", lr = 0.05 }\n"
                                            "terminal_conditions = { epoch_limit = 1 }\n"));
    check_all_done(run_together(folder, "run", 2, with_plugin({})));
    CHECK(folder.read("run/run.log")
              .find("batch normalization of ranked is over the part of a batch that a process has, "
                    "so that results are not those of one process; distributed.buffers = "
                    "\"synchronized\" is over the whole batch") != std::string::npos);
    const auto resume = [&folder](int count, const std::string& epochs) {
        check_all_done(run_together(
            count, {"resume", folder.run_folder("run"), "--set", "distributed.buffers=\"own\"",
                    "--set", "training.terminal_conditions.epoch_limit=" + epochs}));
    };
    const std::string missing =
        "distributed.buffers = \"own\": the checkpoint has the buffers of the first process alone; "
        "all continue with them\n";
    resume(2, "2");
    CHECK(folder.read("run/run.log").find(missing) != std::string::npos);
    resume(3, "3");
    CHECK(folder.read("run/run.log")
              .find("results in their last bits; all have the buffers of the first process\n") !=
          std::string::npos);
}

TEST_CASE("ranks: the mean of the buffers is that of the whole batch, with buffers = \"mean\"") {
    const ExperimentFolder folder(with_norm("",
                                            "optimizer = { type = \"SGD\", lr = 0.05 }\n"
                                            "terminal_conditions = { epoch_limit = 1 }\n"));
    const std::vector<std::string> options =
        with_plugin({"--set", "training.task.batch_size=10", "--set",
                     "distributed.buffers=\"mean\"", "--set", "distributed.timeout=\"20s\""});
    REQUIRE(folder.run("one", options).status == 0);
    const std::vector<float> alone = means_in(folder, "one");
    REQUIRE(alone.size() == 4);
    for (const int count : {2, 4}) {  // of four processes two have a sample more
        CAPTURE(count);
        const std::string name = std::to_string(count);
        check_all_done(run_together(folder, name, count, options));
        const std::vector<float> found = means_in(folder, name);
        REQUIRE(found.size() == alone.size());
        for (std::size_t i = 0; i < alone.size(); ++i) {
            CHECK(found[i] == doctest::Approx(alone[i]).epsilon(1e-5));
        }
    }
}

TEST_CASE("ranks: an evaluation normalizes by the buffers of the first process in all") {
    const ExperimentFolder folder(with_norm("",
                                            "optimizer = { type = \"SGD\", lr = 0.05 }\n"
                                            "terminal_conditions = { epoch_limit = 1 }\n"));
    check_all_done(run_together(folder, "two", 2, with_plugin({})));
    // One process that changes next to nothing: tiny steps, and buffers that stay.
    folder.write(with_norm("momentum = 0.0",
                           "optimizer = { type = \"SGD\", lr = 1e-30 }\n"
                           "terminal_conditions = { epoch_limit = 1 }\n"));
    const std::string from = "\"" + folder.run_folder("two") + "\"";
    const ProcessResult one =
        folder.run("one", with_plugin({"--set", "pipeline.ranked.load=" + from, "--set",
                                       "pipeline.net.load=" + from}));
    CHECK(ptp::test::without_warnings(one.errors, "no weight has moved") == "");
    CHECK(largest_difference(column_of(folder.read("one/validation.csv"), "loss"),
                             column_of(folder.read("two/validation.csv"), "loss")) < 1e-5);
}

}  // namespace ranks_buffers_test
