// `ptprun search`: which values may be searched, and what is refused before anything runs.

#include "runs/search_support.hpp"
#include "runs/support.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <string>
#include <vector>

namespace search_values_test {

namespace {

using nlohmann::json;
using namespace ptp::test;
using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("search: check looks at the ranges in the experiment, and names their places") {
    const ExperimentFolder folder;
    const std::string file =
        folder
            .write({.pipeline = "[search.space]\n"
                                "\"training.optimizer.lr\" = { uniform = [-1.0, 0.1] }\n"
                                "\"training.optimizer.nesterov\" = { choice = [true] }\n"
                                "\"seed\" = { integer = [1, 2] }\n",
                    .has_test = false})
            .string();
    const ProcessResult said = ptp::test::run_program("ptprun", {"check", file});
    CHECK(said.status == 2);
    CHECK(said.output == "");
    CHECK(
        without_folder(said.errors, folder.path()) ==
        "FOLDER/experiment.toml:26:40: error: search.space.\"training.optimizer.lr\" = -1.0: must "
        "be in [0, inf)\n"
        "FOLDER/experiment.toml:27:45: error: search.space.\"training.optimizer.nesterov\" = true: "
        "Adam has no option 'nesterov' (SGD has)\n"
        "FOLDER/experiment.toml:28:23: error: search.space.seed = 1: cannot be searched: the trials "
        "are drawn from it\n"
        "3 errors\n");
}

TEST_CASE("search: check looks at what the trials are compared by, and at the budget") {
    const ExperimentFolder folder;
    const std::string file =
        folder
            .write({.pipeline = "[search]\nhalving = 0\nmin_budget = 2\n[search.space]\n"
                                "\"training.loss_weights.loss\" = { uniform = [2.0, 3.0] }\n"
                                "\"validation.task.batch_size\" = { integer = [4, 8] }\n"
                                "\"validation.dataloader.num_workers\" = { integer = [0, 1] }\n"
                                "\"training.task.batch_size\" = { integer = [4, 8] }\n",
                    .has_test = false})
            .string();
    const ProcessResult said = ptp::test::run_program("ptprun", {"check", file});
    CHECK(said.status == 2);
    CHECK(without_folder(said.errors, folder.path()) ==
          "FOLDER/experiment.toml:27:14: warning: search.min_budget: is not used: with "
          "search.halving = 0 all trials are trained to their end\n"
          "FOLDER/experiment.toml:29:45: error: search.space.\"training.loss_weights.loss\" = 2.0: "
          "cannot be searched: the trials are compared by the loss, which it defines\n"
          "FOLDER/experiment.toml:30:45: error: search.space.\"validation.task.batch_size\" = 4: "
          "cannot be searched: the trials are compared by it\n"
          "2 errors and 1 warning\n");
    folder.write({.pipeline = "[search]\nmin_budget = 5\n[search.space]\n"
                              "\"training.optimizer.lr\" = { uniform = [0.0, 1.0] }\n",
                  .has_test = false});
    CHECK(without_folder(ptp::test::run_program("ptprun", {"check", file}).errors, folder.path()) ==
          "FOLDER/experiment.toml:26:14: error: search.min_budget = 5: must be at most "
          "training.terminal_conditions.epoch_limit = 3\n");
}

TEST_CASE("search: trials that only the training can judge are warned of") {
    const ExperimentFolder folder;
    const std::string file = folder
                                 .write({.pipeline = "[search]\ntrials = 2\n[search.space]\n"
                                                     "\"training.optimizer.lr\" = { uniform = "
                                                     "[0.0, 1.0] }\n",
                                         .has_validation = false,
                                         .has_test = false})
                                 .string();
    const std::string warning =
        "warning: search: there is no [validation], so that the trials are judged by the samples "
        "that they are trained on: what learns these by heart wins\n"
        "    fix: add a [validation] with other samples\n";
    CHECK(ptp::test::run_program("ptprun", {"check", file}).errors == "ptprun: " + warning);
    const ProcessResult said = ptp::test::search(folder, "searched", {"--seed", "1"});
    CHECK(said.errors.find(warning) != std::string::npos);
    CHECK(said.output.find("training.loss") != std::string::npos);
}

TEST_CASE("search: a range of the command line replaces that of the experiment") {
    const ExperimentFolder folder({.training = kFourEpochs,
                                   .pipeline =
                                       "[search.space]\n"
                                       "\"training.optimizer.lr\" = { uniform = [0.0, 1.0] }\n",
                                   .has_test = false});
    const ProcessResult said =
        search(folder, "search", {"--trials", "1", "--space", "lr=choice:0.05"});
    require_success(said);
    CHECK(said.output.starts_with("1 trial in "));
    CHECK(json::parse(folder.read("search/search.json"))["trials"][0]["set"].dump() ==
          R"(["training.optimizer.lr=0.05"])");
}

TEST_CASE("search: a seed that is not set is drawn, printed and recorded") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const ProcessResult said =
        search(folder, "search",
               {"--trials", "1", "--space", "training.optimizer.lr=uniform:0,0.1", "--halving", "0",
                "--set", "seed=-1"});
    require_success(said);
    const json described = json::parse(folder.read("search/search.json"));
    const std::string seed = std::to_string(described["seed"].get<std::int64_t>());
    CHECK(said.output.starts_with("1 trial in " + folder.run_folder("search") +
                                  ", drawn with --seed " + seed + "\n"));
    const std::string run = described["trials"][0]["run"];
    CHECK(folder.read("search/" + run + "/experiment.toml").find("seed = " + seed + "\n") !=
          std::string::npos);
}

TEST_CASE("search: that many trials are checked is printed") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const ProcessResult said =
        search(folder, "data", {"--trials", "200", "--space", "training.optimizer.lr=uniform:0,1"});
    CHECK(said.status == 2);
    CHECK(said.output == "checking 200 trials\n");
    CHECK(without_folder(said.errors, folder.path()) ==
          "ptprun: error: --run-dir FOLDER/data: is there already and not empty\n"
          "    help: ptprun help search\n");
}

TEST_CASE("search: a trial that is equal to an earlier one takes its result") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const Strings words = {"--trials", "3",       "--halving",
                           "0",        "--space", "training.optimizer.lr=choice:0.05,0.01"};
    Strings seeded = words;
    seeded.insert(seeded.end(), {"--seed", "1"});
    const ProcessResult said = search(folder, "search", seeded);
    REQUIRE(said.status == 0);
    // Three draws of two values: the first two trials with a value are trained.
    std::size_t folders = 0;
    for (std::size_t trial = 0; trial < 3; ++trial) {
        folders += folder.has("search/" + ptp::test::run_at_place(folder, "search", trial)) ? 1 : 0;
    }
    CHECK(folders >= 1);
    CHECK(folders < 3);
    CHECK(said.output.find(std::to_string(3 - folders) +
                           " of 3 trials are equal to earlier ones, whose results they take\n") !=
          std::string::npos);
    CHECK(std::regex_search(
        said.output, std::regex("\n[23]_lr=0.0[15] +[0-9.]+ +[0-9.]+ +4 +as [12]_lr=0.0[15] *\n")));
    CHECK(results_in(folder, "search").size() == folders);
    seeded.push_back("--quiet");
    CHECK(search(folder, "quiet", seeded).output == "");
}

TEST_CASE("search: what it refuses, before anything runs") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    struct Case {
        Strings options;
        const char* errors;
    };
    const Case cases[] = {
        {{},
         "ptprun: error: search.space: there is nothing to search\n"
         "    fix: \"training.optimizer.lr\" = { log_uniform = [0.0001, 0.1] } in [search.space], "
         "or --space training.optimizer.lr=log_uniform:0.0001,0.1\n"},
        {{"--space", "training.optimizer.lr=uniform:-1,0.1"},
         "--space training.optimizer.lr=uniform:-1,0.1: error: training.optimizer.lr = -1.0: must "
         "be in [0, inf)\n"},
        {{"--space", "training.task.batch_size=uniform:4,6"},
         "--space training.task.batch_size=uniform:4,6: error: training.task.batch_size = 4.0: "
         "must be an integer in [1, inf), not a real\n"
         "    fix: --space training.task.batch_size=integer:4,6\n"},
        {{"--space", "training.optimizer.rl=uniform:0,0.1"},
         "--space training.optimizer.rl=uniform:0,0.1: error: training.optimizer.rl = 0.0: unknown "
         "key; did you mean 'lr'?\n"},
        {{"--space", "nosuch=choice:1,2"},
         "--space nosuch=choice:1,2: error: nosuch = 1: unknown key; known: name, seed, device, "
         "deterministic, interval, plugins, training, validation, test, process, records, report, checkpoint, swap, "
         "distributed, search, pipeline, include, vars\n"},
        {{"--space", "training.optimizer.lr=uniform:1,0"},
         "--space training.optimizer.lr=uniform:1,0: error: uniform = [1, 0]: the first must be "
         "below the second\n"},
        {{"--space", "training.optimizer.lr=uniform:0,1", "--halving", "1"},
         "--halving 1: error: search.halving = 1: must be 0 for none, or at least 2\n"},
        {{"--space", "training.optimizer.lr=uniform:0,1", "--space",
          "training.optimizer=choice:{ type = \"SGD\", lr = 0.5 }"},
         "--space training.optimizer=choice:{ type = \"SGD\", lr = 0.5 }: error: "
         "training.optimizer: contains training.optimizer.lr, which is searched too\n"
         "    fix: search one of the two\n"},
        {{"--space", "training.optimizer.lr=uniform:0,1", "--space",
          "training.optimizer.'lr'=choice:1,2"},
         "ptprun: error: --space training.optimizer.'lr'=choice:1,2: is a second range for this "
         "key; leave out one of the two\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=uniform:0,1", "--set", "training.optimizer.lr=0.5"},
         "--set: error: training.optimizer.lr = 0.5: training.optimizer.lr is searched, so that "
         "trials have other values\n    fix: leave out the value, or the range\n"},
        {{"--space", "training.optimizer=choice:{ type = \"SGD\", lr = 0.5 }", "--set",
          "training.optimizer.lr=0.5"},
         "--set: error: training.optimizer.lr = 0.5: training.optimizer is searched, so that "
         "trials have other values\n    fix: leave out the value, or the range\n"},
        {{"--space", "device=choice:cpu,cuda", "--device", "cpu"},
         "--set: error: device = \"cpu\": device is searched, so that trials have other values\n"
         "    fix: leave out the value, or the range\n"},
        {{"--space", "validation.task.use_train_data=choice:true"},
         "--space validation.task.use_train_data=choice:true: error: "
         "validation.task.use_train_data = true: cannot be searched: the trials are compared by "
         "it\n"},
        {{"--space", "pipeline.net.hidden_sizes=choice:[8],[0]"},
         "--space pipeline.net.hidden_sizes=choice:[8],[0]: error: pipeline.net.hidden_sizes = "
         "[0]: pipeline.net.hidden_sizes[0]: must be in [1, inf)\n"},
        {{"--space", "training.terminal_conditions.epoch_limit=integer:1,2"},
         "--space training.terminal_conditions.epoch_limit=integer:1,2: error: "
         "training.terminal_conditions.epoch_limit = 1: cannot be searched: the trials are "
         "compared when they are equally long\n"},
        {{"--space", "training.optimizer.lr=uniform:0,0.1", "--set", "seed=-1", "--share"},
         "ptprun: error: seed: those that share a search must draw the same trials from it, and it "
         "is not set\n"
         "    fix: --seed 1, or seed = 1 in the experiment\n"},
        {{"--space", "training.optimizer.lr=uniform:0,0.1", "--set", "search.min_budget=5"},
         "--set: error: search.min_budget = 5: must be at most "
         "training.terminal_conditions.epoch_limit = 4\n"},
        {{"--space", "lr"},
         "ptprun: error: --space lr: must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=normal:0,1"},
         "ptprun: error: --space training.optimizer.lr=normal:0,1: must be KEY=KIND:VALUES, such "
         "as training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=log:0.001,0.1"},
         "ptprun: error: --space training.optimizer.lr=log:0.001,0.1: must be KEY=KIND:VALUES, such "
         "as training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    fix: --space training.optimizer.lr=log_uniform:0.001,0.1\n    "
         "help: ptprun help search\n"},
        {{"--space", "=log:1,2"},
         "ptprun: error: --space =log:1,2: must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=log:a,b"},
         "ptprun: error: --space training.optimizer.lr=log:a,b: must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=log:0,1"},
         "ptprun: error: --space training.optimizer.lr=log:0,1: must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=loguniform(1e-4,1e-1)"},
         "ptprun: error: --space training.optimizer.lr=loguniform(1e-4,1e-1): must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    fix: --space training.optimizer.lr=log_uniform:1e-4,1e-1\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=uniform(0, 0.1)"},
         "ptprun: error: --space training.optimizer.lr=uniform(0, 0.1): must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    fix: --space 'training.optimizer.lr=uniform:0, 0.1'\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=tune.choice([0.1,0.2])"},
         "ptprun: error: --space training.optimizer.lr=tune.choice([0.1,0.2]): must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    fix: --space training.optimizer.lr=choice:0.1,0.2\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=[0.1,0.2]"},
         "ptprun: error: --space training.optimizer.lr=[0.1,0.2]: must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    fix: --space training.optimizer.lr=choice:0.1,0.2\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=normal(0,1)"},
         "ptprun: error: --space training.optimizer.lr=normal(0,1): must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=(0,1)"},
         "ptprun: error: --space training.optimizer.lr=(0,1): must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    help: ptprun help search\n"},
        {{"--space", "training.optimizer.lr=categorical:0.1,0.2"},
         "ptprun: error: --space training.optimizer.lr=categorical:0.1,0.2: must be "
         "KEY=KIND:VALUES, such as training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, "
         "log_uniform, integer, log_integer or choice\n"
         "    fix: --space training.optimizer.lr=choice:0.1,0.2\n    help: ptprun help search\n"},
        {{"--space", "lr=0.1,0.01"},
         "ptprun: error: --space training.optimizer.lr=0.1,0.01: must be KEY=KIND:VALUES, such as "
         "training.optimizer.lr=log_uniform:0.0001,0.1; KIND is uniform, log_uniform, integer, "
         "log_integer or choice\n    fix: --space training.optimizer.lr=choice:0.1,0.01\n"
         "    help: ptprun help search\n"},
        {{"--space", "batch_size=choice:16,32"},
         "--space batch_size=choice:16,32: error: batch_size = 16: unknown key; did you mean "
         "'training.task.batch_size'?\n"
         "    fix: --space training.task.batch_size=choice:16,32\n"},
        {{"--watch"}, "ptprun: error: --watch is for a single run\n    help: ptprun help search\n"},
        {{"--set", "training.optimizer.lr=0.1,0.2", "--set", "seed=1,2"},
         "ptprun: error: a search takes the values of a key by --space, and one by --set\n"
         "    fix: --space training.optimizer.lr=choice:0.1,0.2 --set seed=1\n    help: ptprun help search\n"},
    };
    for (const Case& c : cases) {
        const ProcessResult said = search(folder, "search", c.options);
        CHECK(said.status == 2);
        CHECK(without_excerpts(said.errors) == std::string(c.errors));
        CHECK_FALSE(folder.has("search"));
    }
    REQUIRE(search(folder, "full", four_trials()).status == 0);
    const Strings other = four_trials({"--share", "--seed", "8"});
    const ProcessResult refused = search(folder, "full", other);
    CHECK(refused.status == 2);
    CHECK(without_folder(refused.errors, folder.path()) ==
          "ptprun: error: --run-dir FOLDER/full: is the folder of another search, of other values, "
          "options or another experiment: FOLDER/full/search.json\n    help: ptprun help search\n");
}

}  // namespace search_values_test
