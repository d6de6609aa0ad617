// Which samples the sections of a run see, as a component sees them.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace sampler_test {

using namespace ptp::test;
using Samples = std::vector<std::int64_t>;

namespace {

constexpr const char* kWitness = "[pipeline.seen]\ntype = \"IndexWitness\"\n";

// Both sections have the 48 training images.
void write_folds(const ExperimentFolder& folder) {
    const std::string sampler =
        "sampler = { type = \"kFoldRandomSampler\", folds = 5, fold = 3, fold_seed = 11 }\n";
    folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                              "terminal_conditions = { epoch_limit = 2 }\n" +
                              sampler,
                  .validation = sampler,
                  .pipeline = kWitness,
                  .has_test = false});
}

}  // namespace

TEST_CASE("samplers: k-fold trains on all but the fold and validates on the fold") {
    const ExperimentFolder folder;
    write_folds(folder);
    require_success(
        folder.run("run", with_witness({"--set", "validation.task.use_train_data=true"})));
    const std::string seen = folder.read("run/seen.txt");
    const auto training = samples_seen(seen, "training");
    const auto validation = samples_seen(seen, "validation");
    REQUIRE(training.size() == 2);
    REQUIRE(validation.size() == 2);
    CHECK(training[0] != training[1]);
    CHECK(validation[0] == validation[1]);
    CHECK(validation[0].size() == 9);  // 48 = 10 + 10 + 10 + 9 + 9
    for (const Samples& epoch : training) {
        std::set<std::int64_t> all(epoch.begin(), epoch.end());
        CHECK(all.size() == 39);
        all.insert(validation[0].begin(), validation[0].end());
        CHECK(all.size() == 48);
    }
}

TEST_CASE("samplers: a balanced one reads the classes from the task") {
    const ExperimentFolder folder(
        {.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                     "terminal_conditions = { epoch_limit = 1 }\n"
                     "sampler = { type = \"ClassBalancedSampler\", samples = 24 }\n",
         .pipeline = kWitness,
         .has_test = false});
    REQUIRE(folder.run("run", with_witness()).status == 0);
    const auto training = samples_seen(folder.read("run/seen.txt"), "training");
    REQUIRE(training.size() == 1);
    for (std::int64_t label = 0; label < 4; ++label) {
        CHECK(std::ranges::count_if(training[0], [&](auto index) { return index % 4 == label; }) ==
              6);
    }
}

TEST_CASE("samplers: what does not fit the task ends the run with its place") {
    const ExperimentFolder folder({.training =
                                       "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                       "sampler = { type = \"WeightedRandomSampler\", weights = "
                                       "\"weights.txt\" }\n"});
    std::ofstream(folder.path() / "weights.txt") << "1, 2\n3\n";
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path()) ==
          "FOLDER/experiment.toml:5:55: error: training.sampler.weights: has 3 numbers, but "
          "FashionMNIST has 48 samples; there must be one for each\n");
}

TEST_CASE("samplers: classes and weights that the task states are drawn as those of its stream") {
    const auto seen_with = [](const std::string& sampler) {
        const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                                   "terminal_conditions = { epoch_limit = 2 }\n"
                                                   "sampler = " +
                                                   sampler + "\n",
                                       .validation = "",
                                       .pipeline = kWitness,
                                       .has_test = false});
        require_success(folder.run("run", with_witness({})));
        return samples_seen(folder.read("run/seen.txt"), "training");
    };
    const auto by_stream = seen_with("{ type = 'ClassBalancedSampler', samples = 90 }");
    const auto by_task =
        seen_with("{ type = 'ClassBalancedSampler', labels = 'task', samples = 90 }");
    REQUIRE(by_stream.size() == 2);
    CHECK(by_stream[0].size() == 90);
    CHECK(by_task == by_stream);
}

TEST_CASE("samplers: weights that the task states are those of its classes, one by one") {
    const auto seen_with = [](const std::string& weights) {
        const ExperimentFolder folder;
        std::string labels = {0, 0, 8, 1, 0, 0, 0, 48};  // an IDX file of 48 bytes
        for (int i = 0; i < 48; ++i) {
            labels += static_cast<char>(i < 36 ? 0 : 1 + i % 3);  // 36 of class 0, 4 of each other
        }
        std::ofstream(folder.path() / "data/train-labels-idx1-ubyte", std::ios::binary) << labels;
        folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                  "terminal_conditions = { epoch_limit = 2 }\n"
                                  "sampler = { type = 'WeightedRandomSampler', weights = " +
                                  weights + " }\n",
                      .pipeline = kWitness,
                      .has_test = false});
        require_success(folder.run("run", with_witness({})));
        return samples_seen(folder.read("run/seen.txt"), "training");
    };
    std::string by_class = "[";
    std::string equal = "[";
    for (int i = 0; i < 48; ++i) {
        by_class += i < 36 ? "0.027777777777777776, " : "0.25, ";  // 1 / 36 and 1 / 4
        equal += "1, ";
    }
    const auto stated = seen_with("'task'");
    REQUIRE(stated.size() == 2);
    CHECK(stated[0].size() == 48);
    CHECK(stated[0] != stated[1]);
    CHECK(stated == seen_with(by_class + "]"));
    CHECK(stated != seen_with(equal + "]"));
}

}  // namespace sampler_test
