#include "experiment/resumable.hpp"

#include "support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace resumable_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

TEST_CASE("resumable: the list has keys, what is below them, and any name for a star") {
    CHECK(is_resumable("training.terminal_conditions.epoch_limit"));
    CHECK(is_resumable("training.optimizer.lr"));
    CHECK(is_resumable("training.optimizer.groups.net.lr"));
    CHECK(is_resumable("records.json_lines.every_episodes"));
    CHECK(is_resumable("process.easy.task.batch_size"));
    CHECK_FALSE(is_resumable("training.optimizer"));
    CHECK_FALSE(is_resumable("training.optimizer.lrs"));
    CHECK_FALSE(is_resumable("training.optimizer.groups.net.momentum"));
    CHECK_FALSE(is_resumable("training.terminal_condition"));
    CHECK_FALSE(is_resumable(""));
}

TEST_CASE("resumable: what differs is named by its key, what is gone too") {
    const Experiment left = read_valid(kExample);
    Experiment right = left;
    CHECK(differing_keys(left, right).empty());
    right.training.terminal_conditions.epoch_limit = 77;
    right.training.scheduler = schedule::ExponentialLr();
    right.name = "other";
    CHECK(differing_keys(left, right) ==
          std::vector<std::string>{"name", "training.scheduler.type", "training.scheduler.gamma",
                                   "training.terminal_conditions.epoch_limit"});
    CHECK(differing_keys(right, left) ==
          std::vector<std::string>{"name", "training.terminal_conditions.epoch_limit",
                                   "training.scheduler.type", "training.scheduler.gamma"});
}

TEST_CASE("resumable: what may change is copied, and the rest is not") {
    Experiment to = read_valid(kExample);
    const Experiment from = [&] {
        Experiment experiment = to;
        experiment.training.terminal_conditions.epoch_limit = 77;
        optimizer::lr_of(experiment.training.optimizer) = 0.5;
        optimizer::set_fused(experiment.training.optimizer, true);
        experiment.training.scheduler = schedule::ExponentialLr();
        experiment.training.warm_up = WarmUp{.episodes = 9};
        experiment.training.gradient_clipping = GradientClipping{.limit = 3};
        experiment.training.bad_loss.limit = 4;
        experiment.training.accumulate = 8;
        return experiment;
    }();
    copy_resumable(from.training, to.training);
    CHECK(differing_keys(to, from) == std::vector<std::string>{"training.accumulate"});
}

TEST_CASE("resumable: of a table of another type only the type is refused") {
    const std::vector<std::string> keys = {"training.optimizer.type", "training.optimizer.momentum",
                                           "training.optimizer.betas",
                                           "training.optimizer_of_another"};
    Diagnostics problems;
    refuse_changes(keys, {"a training anew can", "ptprun net.toml"}, problems);
    CHECK(problems.text() ==
          "--set: training.optimizer.type: resume cannot change it: the state of the "
          "optimizer was made with it\n"
          "--set: training.optimizer_of_another: resume cannot change it: which samples an "
          "episode sees follows from it; a training anew can\n"
          "    fix: ptprun net.toml");
}

TEST_CASE("resumable: the documentation has every key of the list") {
    std::ifstream file(ptp::test::source_dir() / "docs/training.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const ResumableKey& one : resumable_keys()) {
        const std::string key(one.key);
        const bool is_of_another_set = key.starts_with("validation.") || key.starts_with("test.");
        CAPTURE(key);
        CHECK((is_of_another_set || text.find("`" + key + "`") != std::string::npos));
    }
}

}  // namespace resumable_test
