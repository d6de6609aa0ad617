// Names from other programs, wherever a person may write them.

#include "experiment/familiar_names.hpp"

#include "experiment/experiment.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <variant>

namespace familiar_names_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

template <class... Types>
void for_each(const std::variant<Types...>&, const auto& use) {
    (use(Types()), ...);
}

// With one of each type in a list.
template <class Any>
void for_each_type(const auto& use) {
    for_each(Any(), use);
}

}  // namespace

TEST_CASE("familiar names: keys of PyTorch, Keras and Lightning lead to ptp's key") {
    struct Case {
        const char* by;  // instead of the key `seed` or a key of [training]
        const char* where;
        std::string message;
    };
    const Case cases[] = {
        {"epochs = 5", "seed = 7",
         "x.toml:2:1: epochs: unknown key; did you mean "
         "'training.terminal_conditions.epoch_limit'?\n"
         "    fix: remove it: training.terminal_conditions.epoch_limit is at x.toml:29:15"},
        {"Learning-Rate = 5", "seed = 7",
         "x.toml:2:1: Learning-Rate: unknown key; did you mean 'training.optimizer.lr'?\n"
         "    fix: remove it, and write training.optimizer.lr = 5 at x.toml:26:6"},
        {"model = 5", "seed = 7",
         "x.toml:2:1: model: unknown key; here it is 'pipeline.model', which must be a table with "
         "the type of a component, as ptp-inspect lists them"},
        {"model = { dropout = 0.3 }", "seed = 7",
         "x.toml:2:1: model: unknown key\n"
         "    fix: set them in the table of a component: pipeline.lenet5, pipeline.loss"},
        {"devices = 1", "seed = 7",
         "x.toml:2:1: devices: unknown key\n"
         "    fix: leave it out: one device is used; to train on a GPU: --device cuda"},
        {"gpus = 4", "seed = 7",
         "x.toml:2:1: gpus: unknown key\n"
         "    fix: leave it out; to train on 4 GPUs: --nproc 4 --device cuda"},
        {"metrics = { accuracy = true }", "seed = 7",
         "x.toml:2:1: metrics: unknown key\n"
         "    fix: remove it, and write at the end of the file [pipeline.accuracy], and below it "
         "type = \"AccuracyStatistics\""},
        {"early_stop_validations = 3", "seed = 7",
         "x.toml:2:1: early_stop_validations: unknown key; did you mean "
         "'training.terminal_conditions.early_stop_validations'?\n"
         "    fix: write early_stop_validations = 3 in the table training.terminal_conditions, at "
         "x.toml:28:1"},
        {"train = 1", "seed = 7",
         "x.toml:2:1: train: unknown key; here it is 'training', which must be a table"},
        {"device = \"cpu\"", "lr = 0.002",
         "x.toml:26:1: training.optimizer.device: unknown key; did you mean 'device'?\n"
         "    fix: remove it, and write device = \"cpu\" at x.toml:3:10"},
        {"interval = 5", "lr = 0.002",
         "x.toml:26:1: training.optimizer.interval: unknown key; did you mean 'interval'?\n"
         "    fix: write interval = 5 at the top of the file, above its first [table]"},
        {"epoch_limit = 5\nbatch_size = 3", "epoch_limit = 5",
         "x.toml:30:1: training.terminal_conditions.batch_size: unknown key; did you mean "
         "'training.task.batch_size'?\n"
         "    fix: remove it, and write training.task.batch_size = 3 at x.toml:13:14"},
        {"gradient_clipping = 0.5\nshuffle = \"False\"", "gradient_clipping = 0.5",
         "x.toml:10:1: training.shuffle: unknown key\n"
         "    fix: leave it out: the sampler decides the order; or leave out the sampler"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.by);
        CHECK(problems_of(replaced(kExample, c.where, c.by)) == c.message);
    }
    const std::string in_training =
        problems_of("training.max_epochs = 1\ntraining.batch_size = 2\nvalidation.shuffle = true");
    CHECK(in_training.find("training.max_epochs: unknown key; did you mean "
                           "'terminal_conditions.epoch_limit'?\n"
                           "    fix: write training.terminal_conditions.epoch_limit = 1\n") !=
          std::string::npos);
    CHECK(in_training.find("training.batch_size: unknown key; did you mean 'task.batch_size'?\n"
                           "    fix: write training.task.batch_size = 2\n") != std::string::npos);
    CHECK(in_training.find("validation.shuffle: unknown key; did you mean 'dataloader.shuffle'?\n"
                           "    fix: write validation.dataloader.shuffle = true") !=
          std::string::npos);
    const std::string renamed = problems_of("[train]\nx = 1\n[val]\n[optimizer]\nlr = 1");
    CHECK(renamed.find("x.toml:3:2: val: unknown key; did you mean 'validation'?\n"
                       "    fix: write [validation] in place of [val]\n") != std::string::npos);
    const std::string twice = problems_of(
        "[training]\ntraining.batch_limit = 3\n"
        "optimizer = { name = \"adam\", lr = 1 }\n[train]\n");
    CHECK(twice.find("training.training: unknown key; keys of a table are written without its "
                     "name\n    fix: write them without training.\n") != std::string::npos);
    CHECK(twice.find("training.optimizer.name: unknown key; did you mean 'type'?\n"
                     "    fix: write type = \"Adam\"\n") != std::string::npos);
    CHECK(twice.find("    fix: move what is in it to the table training at x.toml:1:1") !=
          std::string::npos);
    CHECK(renamed.find("fix: write [training] in place of [train]\n") != std::string::npos);
    CHECK(renamed.find("fix: write [training.optimizer] in place of [optimizer]") !=
          std::string::npos);
}

TEST_CASE("familiar names: a share for the validation becomes two samplers, or is left out") {
    const std::string training = "[training]\nval_split = 0.25\ntask = { type = \"A\" }\n";
    const std::string kept = "{ type = \"RandomSplitSampler\", share = [0.0, 0.75] }";
    const std::string held = "{ type = \"RandomSplitSampler\", share = [0.75, 1.0] }";
    const auto fix_in = [](const std::string& text, const std::vector<std::string>& set = {}) {
        const std::string all = problems_of(text, set);
        const std::size_t begin = all.find("split: unknown key");
        const std::size_t fix = all.find("fix: ", begin);
        return begin == std::string::npos ? all : all.substr(fix, all.find('\n', fix) - fix);
    };
    CHECK(fix_in(training) == "fix: write sampler = " + kept +
                                  " in [training], and in a table [validation] with the same "
                                  "task sampler = " +
                                  held);
    CHECK(fix_in(training + "[validation]\ntask = { type = \"A\", batch_size = 9 }\n") ==
          "fix: write sampler = " + kept + " in [training], and in [validation] sampler = " + held);
    const std::string others = "fix: leave it out: [validation] has samples of its own";
    CHECK(fix_in(training + "[validation]\ntask = { type = \"A\", part = \"b\" }\n") == others);
    CHECK(fix_in(training + "[validation]\ntask = { type = \"A\" }\n"
                            "sampler = { type = \"SequentialSampler\" }\n") == others);
    const std::string file = "[training]\ntask = { type = \"A\" }\n";
    CHECK(fix_in(file, {"training.validation_split=0.25"}) ==
          "fix: --set 'training.sampler=" + kept +
              "' --set 'validation={ task = { type = \"A\" }, sampler = " + held + " }'");
    CHECK(fix_in(file + "[validation]\ntask = { type = \"A\" }\n",
                 {"training.validation_split=0.25"}) ==
          "fix: --set 'training.sampler=" + kept + "' --set 'validation.sampler=" + held + "'");
    const std::string divided = "{ type = \"A\", split = { shares = [0.8, 0.2] } }";
    CHECK(fix_in("[training]\ntask = " + divided + "\n", {"training.validation_split=0.25"}) ==
          "fix: --set 'validation.task=" + divided + "'");
    CHECK(
        fix_in("[training]\nval_split = 0.25\ntask = " + divided + "\n") ==
        "fix: write the task of [training] in a table [validation.task]: its split has a part for "
        "each");
    CHECK(fix_in("[training]\ntask = " + divided + "\n[validation]\ntask = " + divided + "\n",
                 {"training.validation_split=0.25"}) == others);
}

TEST_CASE("familiar names: a key of --set may be found by its last part") {
    CHECK(problems_of(kExample, {"lr=0.1"}) ==
          "--set: lr: unknown key; did you mean 'training.optimizer.lr'?\n"
          "    fix: --set training.optimizer.lr=0.1");
    CHECK(problems_of("[a]\nhidden = 1\n[b]\nhidden = 2\n", {"hidden=3"})
              .starts_with("--set: hidden: unknown key; did you mean 'a.hidden' or 'b.hidden'?"));
}

TEST_CASE("familiar names: a name where a table belongs shows the table to write") {
    const auto said = [](const std::string& line) {
        const std::string all = problems_of("[training]\n" + line);
        const std::size_t begin = all.find("x.toml:2:");
        const std::size_t fix = all.find("fix: ", begin);
        return begin == all.npos ? all : all.substr(begin, all.find('\n', fix) - begin);
    };
    CHECK(
        said("scheduler = \"cosine\"") ==
        "x.toml:2:13: training.scheduler = \"cosine\": must be a table, or \"none\", not a string\n"
        "    fix: write scheduler = { type = \"CosineAnnealingLR\" }");
    CHECK(said("optimizer = \"adam\"") ==
          "x.toml:2:13: training.optimizer = \"adam\": must be a table, not a string\n"
          "    fix: write optimizer = { type = \"Adam\", lr = 0.001 }");
    CHECK(said("task = \"MNIST\"") ==
          "x.toml:2:8: training.task = \"MNIST\": must be a table, not a string\n"
          "    fix: write task = { type = \"MNIST\", batch_size = 64 }");
    CHECK(said("sampler = \"random\"") ==
          "x.toml:2:11: training.sampler = \"random\": must be a table, or \"none\", not a string\n"
          "    fix: write sampler = { type = \"RandomSampler\" }");
    CHECK(said("dataloader = \"fast\"").find("fix") == std::string::npos);
    // As a type within a table too, where nothing is nearer.
    CHECK(said("scheduler = { type = \"cosine\" }") ==
          "x.toml:2:22: training.scheduler.type = \"cosine\": unknown type\n"
          "    fix: write scheduler = { type = \"CosineAnnealingLR\" }");
    const std::string more = said("scheduler = { type = \"cosine\", T_max = 9 }");
    CHECK(more.ends_with("T_max = 9 }"));
    CHECK(problems_of("[training]\nscheduler = { type = \"cosine\", T_max = 9, gama = 1 }")
              .find("training.scheduler.gama: unknown key; did you mean 'gamma'?") !=
          std::string::npos);
    CHECK(problems_of("[training]\nscheduler = { type = \"cosine\", T_max = 9 }")
              .find("T_max: unknown") == std::string::npos);
    CHECK(problems_of("[training]\noptimizer = { type = \"adam\" }")
              .find("x.toml:2:22: training.optimizer.type = \"adam\": unknown type; did you mean "
                    "'Adam'?") != std::string::npos);
}

TEST_CASE("familiar names: every table that is proposed is one that can be read") {
    const auto check_scheduler = [](std::string_view name) {
        CAPTURE(name);
        const std::string table = familiar_table("training.scheduler", name);
        CHECK(table != "");
        CHECK(problems_of("[validation]\n[training]\nscheduler = " + table).find("scheduler") ==
              std::string::npos);
    };
    for_each_type<schedule::Any>([&](const auto& one) {
        check_scheduler(one.kName);
        for (const std::string_view other : one.kOtherNames) {
            check_scheduler(other);
        }
    });
    for (const char* name : {"random", "sequential", "subset", "weighted", "balanced"}) {
        CAPTURE(name);
        const std::string table = familiar_table("training.sampler", name);
        CHECK(problems_of("[training]\nsampler = " + table).find("sampler") == std::string::npos);
    }
    for_each_type<optimizer::Any>([](const auto& one) {
        CAPTURE(one.kName);
        const std::string table = familiar_table("optimizer", one.kName);
        CHECK(table != "");
        CHECK(problems_of("[training]\noptimizer = " + table).find("optimizer") ==
              std::string::npos);
    });
}

TEST_CASE("familiar names: a time without unit and a number in quotes show what to write") {
    const auto said = [](const std::string& line) {
        const std::string all = problems_of("[training]\n" + line);
        const std::size_t begin = all.find("x.toml:2:");
        const std::size_t fix = all.find("fix: ", begin);
        return begin == all.npos ? all : all.substr(begin, all.find('\n', fix) - begin);
    };
    CHECK(said("terminal_conditions.wall_time = 90") ==
          "x.toml:2:33: training.terminal_conditions.wall_time = 90: must be a span of time such "
          "as \"90m\" or \"1h30m\" (d, h, m, s), not an integer\n"
          "    fix: write \"90s\", \"90m\" or \"90h\" for seconds, minutes or hours");
    CHECK(
        said("optimizer = { type = \"Adam\", lr = \"0.001\" }") ==
        "x.toml:2:35: training.optimizer.lr = \"0.001\": must be a real in [0, inf), not a string\n"
        "    fix: remove the quotes: 0.001");
    CHECK(said("dataloader.shuffle = \"true\"") ==
          "x.toml:2:22: training.dataloader.shuffle = \"true\": must be a boolean, not a string\n"
          "    fix: remove the quotes: true");
    CHECK(said("dataloader.shuffle = \"maybe\"").find("quotes") == std::string::npos);
}

TEST_CASE("familiar names: a component without a type may be a slip in the name of another one") {
    CHECK(problems_of(kExample, {"pipeline.lenet.size=3"}) ==
          "--set: pipeline.lenet.type: required, but missing; or did you mean the component "
          "'lenet5'?");
    CHECK(
        problems_of(kExample, {"pipeline.other_thing.size=3"}) ==
        "--set: pipeline.other_thing.type: required, but missing: the name of a type, as LeNet5 or "
        "plugin/LeNet5 (the kind of component)");
}

}  // namespace familiar_names_test
