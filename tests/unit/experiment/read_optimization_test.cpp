// What [training] may say of optimizer, learning rate and gradients, and every mistake in it.

#include "experiment/readers.hpp"

#include "base/toml_writer.hpp"
#include "experiment/load/steps.hpp"
#include "optimization_text.hpp"
#include "schema/one_of.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

namespace read_optimization_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

struct Case {
    std::string keys;
    std::string message;
};

}  // namespace

TEST_CASE("optimization: what is not written has its default") {
    const Training training = read_training_of(experiment_text("type = 'Adam'"));
    CHECK(training.groups.empty());
    CHECK_FALSE(training.scheduler);
    CHECK_FALSE(training.warm_up);
    CHECK_FALSE(training.gradient_clipping);
    CHECK(training.accumulate == 1);
    CHECK(training.precision == "float32");
    CHECK_FALSE(training.weight_average);
    CHECK(training.bad_loss.action == "stop");
    CHECK_FALSE(training.bad_loss.looks_at_gradients);
    CHECK(training.loss_weights.empty());
}

TEST_CASE("optimization: each optimizer has PyTorch's defaults") {
    const auto written = [](const char* type) {
        const Training training =
            read_training_of(experiment_text(fmt::format("type = '{}'", type)));
        return inline_toml(schema::write_one_of(training.optimizer));
    };
    CHECK(written("Adam") ==
          "{ type = \"Adam\", lr = 0.001, weight_decay = 0.0, betas = [0.9, 0.999], eps = 1e-08, "
          "amsgrad = false }");
    CHECK(written("AdamW") ==
          "{ type = \"AdamW\", lr = 0.001, weight_decay = 0.01, betas = [0.9, 0.999], eps = 1e-08, "
          "amsgrad = false }");
    CHECK(written("RMSprop") ==
          "{ type = \"RMSprop\", lr = 0.01, weight_decay = 0.0, momentum = 0.0, eps = 1e-08, alpha "
          "= 0.99, centered = false }");
    CHECK(written("Adagrad") ==
          "{ type = \"Adagrad\", lr = 0.01, weight_decay = 0.0, eps = 1e-10, lr_decay = 0.0, "
          "initial_accumulator_value = 0.0 }");
    CHECK(written("LBFGS") ==
          "{ type = \"LBFGS\", lr = 1.0, max_iter = 20, tolerance_grad = 1e-07, tolerance_change = "
          "1e-09, history_size = 100, line_search_fn = \"none\" }");
    CHECK(written("Adadelta") ==
          "{ type = \"Adadelta\", lr = 1.0, weight_decay = 0.0, rho = 0.9, eps = 1e-06 }");
    CHECK(
        written("Adamax") ==
        "{ type = \"Adamax\", lr = 0.002, weight_decay = 0.0, betas = [0.9, 0.999], eps = 1e-08 }");
    CHECK(written("NAdam") ==
          "{ type = \"NAdam\", lr = 0.002, weight_decay = 0.0, betas = [0.9, 0.999], eps = 1e-08, "
          "momentum_decay = 0.004 }");
    CHECK(
        written("RAdam") ==
        "{ type = \"RAdam\", lr = 0.001, weight_decay = 0.0, betas = [0.9, 0.999], eps = 1e-08 }");
    CHECK(written("ASGD") ==
          "{ type = \"ASGD\", lr = 0.01, weight_decay = 0.0, lambd = 0.0001, alpha = 0.75, t0 = "
          "1000000.0 }");
    CHECK(written("Rprop") ==
          "{ type = \"Rprop\", lr = 0.01, etas = [0.5, 1.2], step_sizes = [1e-06, 50.0] }");
}

TEST_CASE("optimization: a group has the optimizer's options but for its own") {
    const Training training =
        read_training_of(experiment_text("type = 'SGD'\nlr = 0.5\nmomentum = 0.9\nnesterov = true\n"
                                         "groups.net = { lr = 0.25, weight_decay = 0.125 }\n"
                                         "groups.other.frozen = true"));
    REQUIRE(training.groups.size() == 2);
    CHECK(training.groups[0].component == "net");
    const auto& own = std::get<optimizer::Sgd>(training.groups[0].options);
    CHECK(own.lr == 0.25);
    CHECK(own.weight_decay == 0.125);
    CHECK(own.momentum == 0.9);
    CHECK(own.nesterov);
    CHECK_FALSE(training.groups[0].is_frozen);
    CHECK(training.groups[1].is_frozen);
    CHECK(optimizer::lr_of(training.groups[1].options) == 0.5);
}

TEST_CASE("optimization: a bad loss is a word or a table") {
    CHECK(
        read_training_of(experiment_text("type = 'Adam'", "on_bad_loss = 'skip'")).bad_loss.limit ==
        10);
    CHECK(read_training_of(experiment_text("type = 'Adam'", "on_bad_loss = 'rollback'"))
              .bad_loss.limit == 3);
    CHECK(read_training_of(experiment_text("type = 'Adam'", "on_bad_loss = 'stop'"))
              .bad_loss.looks_at_gradients);
    const BadLoss rollback =
        read_training_of(
            experiment_text("type = 'Adam'",
                            "on_bad_loss = { action = 'rollback', limit = 1, lr_factor = 0.1 }"))
            .bad_loss;
    CHECK(rollback.action == "rollback");
    CHECK(rollback.limit == 1);
    CHECK(rollback.lr_factor == 0.1);
}

TEST_CASE("optimization: clipping is by value or by norm") {
    const auto of = [](const char* keys) {
        return *read_training_of(experiment_text("type = 'Adam'", keys)).gradient_clipping;
    };
    CHECK(of("gradient_clipping = { norm = 2 }").is_by_norm);
    CHECK(of("gradient_clipping = { norm = 2 }").limit == 2.0);
    CHECK_FALSE(of("gradient_clipping = { value = 3 }").is_by_norm);
    CHECK(of("gradient_clipping = { value = 3 }").limit == 3.0);
    CHECK_FALSE(of("gradient_clipping = 4").is_by_norm);
}

TEST_CASE("optimization: \"none\" removes what another file or the run has") {
    Loader loader(experiment_text(
        "type = 'Adam'", "scheduler = 'none'\nwarm_up = 'none'\ngradient_clipping = 'none'"));
    const Experiment removed = loader.read();
    CHECK(loader.problems() == "");
    CHECK_FALSE(removed.training.scheduler);
    CHECK_FALSE(removed.training.warm_up);
    CHECK_FALSE(removed.training.gradient_clipping);
    const Value written = resolved_tree(removed);
    CHECK(written.find_path("training.scheduler") == nullptr);
    CHECK(problems_of(experiment_text("type = 'Adam'", "scheduler = 3")) ==
          "x.toml:5:13: training.scheduler = 3: must be a table, or \"none\", not an integer");
}

TEST_CASE("optimization: \"none\" takes the place of a table of another layer, and the reverse") {
    const Value step = Value::table({{"type", "StepLR"}});
    Value merged = Value::table({{"scheduler", step}, {"warm_up", "none"}});
    const Value above = Value::table({{"scheduler", "none"}, {"warm_up", step}});
    Diagnostics problems;
    merge(merged, above, "training", problems);
    CHECK(problems.ok());
    CHECK(merged == above);
}

TEST_CASE("optimization: the record reads back to the same") {
    const std::string keys[] = {
        "scheduler = { type = 'StepLR', step_size = 3 }",
        "scheduler = { type = 'MultiStepLR', milestones = [2, 5], gamma = 0.5 }",
        "scheduler = { type = 'ExponentialLR', gamma = 0.9 }\nwarm_up = { episodes = 10 }",
        "scheduler = { type = 'CosineAnnealingLR', eta_min = 0.1 }",
        "scheduler = { type = 'CosineAnnealingLR', T_max = 4 }",
        "scheduler = { type = 'CosineAnnealingWarmRestarts', T_0 = 4, T_mult = 2 }",
        "scheduler = { type = 'OneCycleLR', total_episodes = 100, three_phase = true }",
        "scheduler = { type = 'ReduceLROnPlateau', cooldown = 2, threshold_mode = 'abs' }",
        "scheduler = { type = 'PolynomialLR', power = 0.9 }",
        "scheduler = { type = 'CyclicLR', max_lr = 0.5, step_size_down = 3, mode = 'exp_range' }",
        "scheduler = { type = 'LambdaLR', lr_lambda = '0.95 ** epoch' }",
        "gradient_clipping = { norm = 0.1 }\naccumulate = 4\nprecision = 'bf16'",
        "weight_average = { decay = 0.99, start_episode = 7 }\non_bad_loss = 'stop'",
        "on_bad_loss = { action = 'rollback', lr_factor = 0.25 }\nloss_weights = { loss = 0.5 }",
    };
    for (const std::string& key : keys) {
        CAPTURE(key);
        Loader loader(
            experiment_text("type = 'Adam'\ngroups.net = { lr = 0.25 }", key, kValidation));
        const Value written = resolved_tree(loader.read());
        REQUIRE(loader.problems() == "");
        Loader again(to_toml(written));
        CHECK(resolved_tree(again.read()) == written);
        CHECK(again.problems() == "");
    }
    const Value lbfgs = resolved_tree(
        Loader(experiment_text("type = 'LBFGS'\nmax_eval = 3\nline_search_fn = 'strong_wolfe'"))
            .read());
    CHECK(lbfgs.find_path("training.optimizer.max_eval")->as_integer() == 3);
    CHECK(lbfgs.find_path("training.optimizer.line_search_fn")->as_string() == "strong_wolfe");
    CHECK(lbfgs.find_path("training.optimizer.weight_decay") == nullptr);
}

TEST_CASE("optimization: wrong keys of [training] are refused") {
    const Case cases[] = {
        {"accumulate = 0", "x.toml:5:14: training.accumulate = 0: must be in [1, inf)"},
        {"precision = 'half'",
         "x.toml:5:13: training.precision = \"half\": must be one of float32, bf16, fp16\n"
         "    fix: write precision = \"bf16\", or \"fp16\" with --device cuda"},
        {"gradient_clipping = 'norm'",
         "x.toml:5:21: training.gradient_clipping = \"norm\": must be a real in (0, inf) or a table, "
         "or \"none\", not a string"},
        {"gradient_clipping = {}",
         "x.toml:5:21: training.gradient_clipping = {}: must have either a value or a norm"},
        {"gradient_clipping = { norm = 1, value = 1 }",
         "x.toml:5:21: training.gradient_clipping = { norm = 1, value = 1 }: must have either a "
         "value or a norm"},
        {"gradient_clipping = { norm = 0 }",
         "x.toml:5:30: training.gradient_clipping.norm = 0: must be in (0, inf)"},
        {"warm_up = { start_factor = 0.5 }",
         "x.toml:5:11: training.warm_up.episodes: required, but missing: an integer in [1, inf) (in "
         "which the learning rate grows)"},
        {"warm_up = { episodes = 0, start_factor = 0 }",
         "x.toml:5:24: training.warm_up.episodes = 0: must be in [1, inf)\n"
         "x.toml:5:42: training.warm_up.start_factor = 0: must be in (0, 1]"},
        {"weight_average = { decay = 1, start_episode = -1 }",
         "x.toml:5:28: training.weight_average.decay = 1: must be in [0, 1)\n"
         "x.toml:5:47: training.weight_average.start_episode = -1: must be in [0, inf)"},
        {"weight_average = {}",
         "x.toml:5:18: training.weight_average.decay: required, but missing: a real in [0, 1) (share "
         "of the average that each step keeps)"},
        {"on_bad_loss = 'ignore'",
         "x.toml:5:15: training.on_bad_loss = \"ignore\": must be one of stop, skip, rollback"},
        {"on_bad_loss = { limit = 1 }",
         "x.toml:5:15: training.on_bad_loss.action: required, but missing: a string, one of stop, "
         "skip, rollback (what follows)"},
        {"on_bad_loss = { action = 'stop', limit = 1 }",
         "x.toml:5:34: training.on_bad_loss.limit: "
         "stop has no option 'limit' (skip and rollback have)"},
        {"on_bad_loss = { action = 'skip', lr_factor = 1 }",
         "x.toml:5:34: training.on_bad_loss.lr_factor: "
         "skip has no option 'lr_factor' (rollback has)"},
        {"on_bad_loss = { action = 'rollback', limit = 0, lr_factor = 1.5 }",
         "x.toml:5:46: training.on_bad_loss.limit = 0: must be in [1, inf)\n"
         "x.toml:5:61: training.on_bad_loss.lr_factor = 1.5: must be in (0, 1]"},
        {"loss_weights = { loss = -1 }",
         "x.toml:5:25: training.loss_weights.loss = -1: must be in [0, inf)"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.keys);
        CHECK(problems_of(experiment_text("type = 'Adam'", c.keys)) == c.message);
    }
}

TEST_CASE("optimization: a rate of 0 that nothing raises is a warning") {
    const auto problems = [](const std::string& optimizer, const std::string& keys = "") {
        Loader loader(experiment_text(optimizer, keys));
        static_cast<void>(loader.read());
        return loader.problems();
    };
    CHECK(
        problems("type = 'SGD'\nlr = 0")
            .find(
                "training.optimizer.lr: warning: is 0, so that no weight changes\n    fix: set 0.001") !=
        std::string::npos);
    CHECK(problems("type = 'SGD'\nlr = 0.1").empty());
    CHECK(problems("type = 'SGD'\nlr = 0\ngroups.net = { lr = 0.1 }").find("is 0") ==
          std::string::npos);
    CHECK(problems("type = 'SGD'\nlr = 0", "scheduler = { type = 'LambdaLR', factor = '1' }")
              .find("is 0, so that") == std::string::npos);
}

TEST_CASE("optimization: what only a training uses is no warning where a section is processed") {
    Loader loader(experiment_text("type = 'SGD'\nlr = 0", "dataloader = { shuffle = false }\n") +
                  "[training.sampler]\ntype = 'RandomSampler'\n");
    const auto tree = loader.load();
    REQUIRE(tree);
    const auto problems_in = [&](const std::string& section) {
        ptp::Diagnostics problems;
        static_cast<void>(ptp::experiment::read_experiment(
            *tree, {.default_name = "x", .section = section}, problems));
        return problems.text();
    };
    CHECK(problems_in("").find("training.optimizer.lr: warning") != std::string::npos);
    CHECK(problems_in("").find("training.dataloader.shuffle: warning") != std::string::npos);
    CHECK(problems_in("training").find("training.optimizer.lr") == std::string::npos);
    CHECK(problems_in("training").find("training.dataloader.shuffle: warning") !=
          std::string::npos);
    CHECK(problems_in("test") == "");
}

TEST_CASE("optimization: wrong options of Rprop are refused") {
    CHECK(problems_of(experiment_text("type = 'Rprop'\netas = [1.0, 1.2]")) ==
          "x.toml:8:8: training.optimizer.etas = [1.0, 1.2]: the first must be below 1, and the "
          "second above");
    CHECK(problems_of(experiment_text("type = 'Rprop'\netas = [0.5, 1]")) ==
          "x.toml:8:8: training.optimizer.etas = [0.5, 1]: the first must be below 1, and the "
          "second above");
    CHECK(problems_of(experiment_text("type = 'Rprop'\nstep_sizes = [2.0, 1.0]")) ==
          "x.toml:8:14: training.optimizer.step_sizes = [2.0, 1.0]: the first must not be above "
          "the second");
}

TEST_CASE("optimization: wrong groups are refused") {
    const Case cases[] = {
        {"groups.nt.lr = 1",
         "x.toml:9:8: training.optimizer.groups.nt: unknown component; did you mean 'net'?"},
        {"groups.net = 1",
         "x.toml:9:14: training.optimizer.groups.net = 1: must be a table, not an integer"},
        {"groups.net.rl = 1",
         "x.toml:9:12: training.optimizer.groups.net.rl: unknown key; did you mean 'lr'?"},
        {"groups.net.type = 'SGD'",
         "x.toml:9:12: training.optimizer.groups.net.type: unknown key; known: frozen, lr, "
         "weight_decay, betas, eps, amsgrad, fused"},
        {"groups.net.momentum = 1",
         "x.toml:9:12: training.optimizer.groups.net.momentum: "
         "Adam has no option 'momentum' (SGD and RMSprop have)"},
        {"groups.net = { lr = -1, frozen = 1 }",
         "x.toml:9:21: training.optimizer.groups.net.lr = -1: must be in [0, inf)\n"
         "x.toml:9:34: training.optimizer.groups.net.frozen = 1: must be a boolean, not an "
         "integer\n    fix: write true"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.keys);
        CHECK(problems_of(experiment_text("type = 'Adam'\nlr = 0.1\n" + c.keys)) == c.message);
    }
    CHECK(problems_of(experiment_text("type = 'Adam'\ngroups.net.lr = 1\ngroups.other.lr = 1", "",
                                      "enabled = false\n[pipeline.third]\ntype = 'LeNet5'")) ==
          "x.toml:9:8: training.optimizer.groups.other: the component is disabled");
    CHECK(problems_of(experiment_text("type = 'Adam'\ngroups.other.lr = 1", "", "freeze = true")) ==
          "x.toml:8:8: training.optimizer.groups.other: the component is frozen by its own "
          "`freeze`, so that nothing of it is trained");
    CHECK(problems_of(experiment_text("type = 'Adam'\ngroups.other.lr = 1", "",
                                      "freeze = { until_epoch = 2 }")) == "");
    CHECK(problems_of(experiment_text("type = 'Adam'\ngroups.other.frozen = true", "",
                                      "freeze = { until_epoch = 2 }")) ==
          "x.toml:8:8: training.optimizer.groups.other.frozen: not beside the component's own "
          "`freeze`, which ends with an epoch");
    CHECK(problems_of(experiment_text("type = 'SGD'\nlr = 1\nmomentum = 0.9\nnesterov = true\n"
                                      "groups.net.momentum = 0")) ==
          "x.toml:11:8: training.optimizer.groups.net.nesterov: needs a momentum above 0 and no "
          "dampening");
}

TEST_CASE("optimization: what makes no sense with LBFGS is refused") {
    CHECK(
        problems_of(experiment_text("type = 'LBFGS'\nweight_decay = 0.1\ngroups.net = { lr = 1 }\n"
                                    "groups.other.frozen = true",
                                    "accumulate = 2\ngradient_clipping = 1.0\nprecision = 'bf16'\n"
                                    "on_bad_loss = 'skip'")) ==
        "x.toml:5:14: training.accumulate = 2: must be 1 with LBFGS, which evaluates one batch "
        "several times\n"
        "x.toml:6:21: training.gradient_clipping = 1.0: not with LBFGS, which needs the gradients "
        "of the loss that it sees\n"
        "x.toml:7:13: training.precision = \"bf16\": must be \"float32\" with LBFGS, which "
        "compares losses that differ little\n"
        "x.toml:8:15: training.on_bad_loss = \"skip\": not \"skip\" with LBFGS, which has changed "
        "the weights when it meets one\n"
        "x.toml:11:1: training.optimizer.weight_decay: LBFGS has no option 'weight_decay' (SGD, "
        "Adam, AdamW, RMSprop, Adagrad, Adadelta, Adamax, NAdam, RAdam and ASGD have)\n"
        "x.toml:12:16: training.optimizer.groups.net.lr: LBFGS has no option 'lr' (SGD, Adam, "
        "AdamW, RMSprop, Adagrad, Adadelta, Adamax, NAdam, RAdam, Rprop and ASGD have)");
    CHECK(
        problems_of(experiment_text("type = 'LBFGS'\nmax_iter = 0\nmax_eval = 0\nhistory_size = 0\n"
                                    "line_search_fn = 'wolfe'")) ==
        "x.toml:8:12: training.optimizer.max_iter = 0: must be in [1, inf)\n"
        "x.toml:9:12: training.optimizer.max_eval = 0: must be in [1, inf)\n"
        "x.toml:10:16: training.optimizer.history_size = 0: must be in [1, inf)\n"
        "x.toml:11:18: training.optimizer.line_search_fn = \"wolfe\": must be one of none, "
        "strong_wolfe; did you mean 'strong_wolfe'?");
}

}  // namespace read_optimization_test
