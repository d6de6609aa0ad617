// `ptprun resume --set` with what may not change: refused by name, with the command that trains
// anew.

#include "runs/support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace resume_refused_test {

using namespace ptp::test;

namespace {

constexpr const char* kEpochs = "training.terminal_conditions.epoch_limit=";

}  // namespace

TEST_CASE("resume --set: what may not change is refused by name, and nothing is touched") {
    const ExperimentFolder folder(plain(2));
    REQUIRE(folder.run("run").status == 0);
    const std::string experiment = folder.read("run/experiment.toml");
    struct Case {
        std::vector<std::string> values;
        std::string errors;
    };
    const auto anew = [](const std::string& value) {
        return "; a training anew, from its best weights, can\n"
               "    fix: ptprun FOLDER/run/experiment.toml --set "
               "'pipeline.load=\"FOLDER/run/checkpoints/best\"' --set " +
               value + "\n";
    };
    const Case cases[] = {
        {{"pipeline.net.dropout_rate=0.3", "seed=8", "training.task.batch_size=4"},
         "--set: error: seed: resume cannot change it: what has been drawn at random so far came "
         "from it\n"
         "--set: error: training.task.batch_size: resume cannot change it: which samples an "
         "episode sees follows from it\n"
         "--set: error: pipeline.net.dropout_rate: resume cannot change it: the weights and the "
         "state in the checkpoint belong to this pipeline; `ptprun swap` exchanges a plugin; a training anew can\n"
         "    fix: ptprun FOLDER/run/experiment.toml --set pipeline.net.dropout_rate=0.3 --set seed=8 "
         "--set training.task.batch_size=4\n3 errors\n"},
        {{"training.task.batch_size=4"},
         "--set: error: training.task.batch_size: resume cannot change it: which samples an "
         "episode sees follows from it" +
             anew("training.task.batch_size=4")},
        // The run has one epoch, in which nothing would be trained: no part of it may be frozen.
        {{"pipeline.net.freeze={ until_epoch = 1 }"},
         "--set: error: pipeline.net.freeze.until_epoch: resume cannot change it: the weights and "
         "the state in the checkpoint belong to this pipeline; `ptprun swap` exchanges a plugin" +
             anew("pipeline.net.freeze=false")},
        {{"training.optimizer.type=Adam"},
         "--set: error: training.optimizer.type: resume cannot change it: the state of the "
         "optimizer was made with it" +
             anew("'training.optimizer={ type = \"Adam\", lr = 0.001 }'")},
        {{"training.optimizer.momentum=0.9"},
         "--set: error: training.optimizer.momentum: resume cannot change it: the state of the "
         "optimizer was made with it" +
             anew("training.optimizer.momentum=0.9")},
        {{"training.judge=accuracy"},
         "--set: error: training.judge: resume cannot change it: what was best so far was judged "
         "by it" +
             anew("'training.judge={ statistic = \"accuracy\", better = \"larger\" }'")},
        {{"training.judge=loss"},
         "--set: error: training.judge: resume cannot change it: what was best so far was judged "
         "by it\n"},
        {{"training.loss=mse"},  // which takes numbers, not classes
         "--set: error: pipeline.nll: resume cannot change it: the weights and the state in the "
         "checkpoint belong to this pipeline; `ptprun swap` exchanges a plugin\n"},
        {{"batch_size=4"},
         "--set: error: training.task.batch_size: resume cannot change it: which samples an "
         "episode sees follows from it" +
             anew("training.task.batch_size=4")},
        {{"seed=one"},
         "--set: error: seed: resume cannot change it: what has been drawn at random so far came "
         "from it\n"},
        {{std::string(kEpochs) + "2"},
         "--set: error: training.terminal_conditions.epoch_limit=2: the run has this value "
         "already\n"},
        {{"training.terminal_conditions.epoch_limitt=2"},
         "--set: error: training.terminal_conditions.epoch_limitt: unknown key; did you mean "
         "'epoch_limit'?\n"},
        {{std::string(kEpochs) + "3,4"},
         "ptprun: error: a --set with several values is for trainings and for check\n"
         "    fix: --set " +
             std::string(kEpochs) + "3\n    help: ptprun help resume\n"},
        {{"lr=0,01"},
         "ptprun: error: a --set with several values is for trainings and for check\n"
         "    fix: --set training.optimizer.lr=0.01\n    help: ptprun help resume\n"},
    };
    for (const Case& c : cases) {
        const ProcessResult result = resume_with(folder, "run", c.values);
        CHECK(result.status == 2);
        CHECK(without_folder(without_excerpts(result.errors), folder.path()) == c.errors);
    }
    require_success(ptp::test::run_program(
        "ptprun", {folder.run_folder("run/experiment.toml"), "--set",
                   "pipeline.load=\"" + folder.run_folder("run/checkpoints/best") + "\"", "--set",
                   "training.task.batch_size=4", "--set",
                   "training.judge={ statistic = \"accuracy\", better = \"larger\" }", "--set",
                   "training.optimizer={ type = \"Adam\", lr = 0.001 }", "--run-dir",
                   folder.run_folder("anew")}));
    CHECK(folder.read("run/experiment.toml") == experiment);
    CHECK_FALSE(folder.has("run/experiment_at_start.toml"));
    CHECK_FALSE(folder.has("run/journal.jsonl"));
}

TEST_CASE("resume --set: the training anew by another statistic has its better values") {
    const ExperimentFolder folder(
        plain(1, "judge = { statistic = \"accuracy\", better = \"larger\" }\n"));
    REQUIRE(folder.run("run").status == 0);
    const ProcessResult result = resume_with(folder, "run", {"training.judge.statistic=loss"});
    CHECK(without_folder(without_excerpts(result.errors), folder.path()) ==
          "--set: error: training.judge.statistic: resume cannot change it: what was best so far "
          "was judged by it; a training anew, from its best weights, can\n"
          "    fix: ptprun FOLDER/run/experiment.toml --set "
          "'pipeline.load=\"FOLDER/run/checkpoints/best\"' --set "
          "'training.judge={ statistic = \"loss\", better = \"smaller\" }'\n");
}

}  // namespace resume_refused_test
