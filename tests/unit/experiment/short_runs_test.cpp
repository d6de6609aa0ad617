#include "experiment/experiment.hpp"

#include "base/toml_writer.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

namespace short_runs_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

TEST_CASE("short runs: a fast development run has one batch of each section and one episode") {
    Experiment experiment = read_valid(kExample);
    make_fast_dev_run(experiment);
    CHECK(experiment.training.batch_limit == 1);
    CHECK(experiment.training.terminal_conditions.epoch_limit == 1);
    CHECK(experiment.training.terminal_conditions.episode_limit == 1);
    CHECK(experiment.validation->batch_limit == 1);
    CHECK_FALSE(experiment.test);
}

TEST_CASE("short runs: overfitting trains and validates on the same batches, in their order") {
    Experiment experiment =
        read_valid(std::string(kExample) + "[test.task]\ntype = \"MNIST\"\nbatch_size = 3\n");
    Diagnostics problems;
    make_overfit(experiment, 4, problems);
    const Section* const sections[] = {&experiment.training, &*experiment.validation};
    for (const Section* section : sections) {
        CHECK(section->batch_limit == 4);
        CHECK_FALSE(section->sampler);
        CHECK_FALSE(section->dataloader.shuffle);
        CHECK(section->task.batch_size == 64);
        CHECK(section->task.settings == experiment.training.task.settings);
    }
    CHECK(experiment.validation->name == "validation");
    // As when the record of this run is read: its random numbers follow from that.
    CHECK(experiment.validation->task.path == "validation.task");
    CHECK_FALSE(experiment.test);
}

TEST_CASE("short runs: overfitting without a validation is read from its record as it was") {
    const std::string text =
        "[training.task]\ntype = 'MNIST'\nbatch_size = 8\n[training.optimizer]\ntype = 'Adam'\n"
        "[pipeline.net]\ntype = 'LeNet5'\n";
    Experiment experiment = read_valid(text);
    Diagnostics problems;
    make_overfit(experiment, 4, problems);
    CHECK(experiment.training.terminal_conditions.loss_stop_threshold == 1e-5);
    const Value record = resolved_tree(experiment);
    CHECK(resolved_tree(read_valid(to_toml(record))) == record);
}

TEST_CASE("short runs: overfitting puts a reservoir and a sampler aside, and says so") {
    Experiment experiment = read_valid(kExample);
    experiment.training.dataloader.mode = "reservoir";
    experiment.training.sampler.emplace();
    const std::string place = experiment.training.place.text();
    Diagnostics problems;
    make_overfit(experiment, 4, problems);
    CHECK(experiment.training.dataloader.mode == "ordered");
    CHECK(experiment.validation->dataloader.mode == "ordered");
    CHECK_FALSE(experiment.training.sampler);
    CHECK(problems.text() ==
          place +
              ": training.dataloader.mode: warning: is ignored: --overfit takes samples in "
              "order\n" +
              place + ": training.sampler: warning: is ignored: --overfit takes samples in order");
}

TEST_CASE("short runs: a limit of batches is read, checked and recorded") {
    Experiment experiment =
        read_valid(replaced(kExample, "gradient_clipping = 0.5", "batch_limit = 3"));
    CHECK(experiment.training.batch_limit == 3);
    CHECK(*resolved_tree(experiment).find_path("training.batch_limit") == Value(3));
    CHECK(problems_of(replaced(kExample, "gradient_clipping = 0.5", "batch_limit = 0")) ==
          "x.toml:9:15: training.batch_limit = 0: must be in [1, inf)");
}

}  // namespace short_runs_test
