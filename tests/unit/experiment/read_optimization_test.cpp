// What [training] may say of optimizer, learning rate and gradients, and every mistake in it.

#include "experiment/read_optimization.hpp"

#include "base/toml_writer.hpp"
#include "experiment/load/merge.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

// Line 5 is the first of `keys`, which stand in [training].
std::string experiment(const std::string& optimizer, const std::string& keys = "",
                       const std::string& more = "") {
    return "[training.task]\ntype = 'MNIST'\nbatch_size = 8\n[training]\n" + keys +
           "\n[training.optimizer]\n" + optimizer +
           "\n[pipeline.net]\ntype = 'LeNet5'\n[pipeline.other]\ntype = 'LeNet5'\n" + more;
}

constexpr const char* kValidation = "[validation.task]\ntype = 'MNIST'\nbatch_size = 8\n";

Training read(const std::string& text) {
    Loader loader(text);
    Training training = loader.read().training;
    REQUIRE(loader.problems() == "");
    return training;
}

struct Case {
    std::string keys;
    std::string message;
};

}  // namespace

TEST_CASE("optimization: what is not written has its default") {
    const Training training = read(experiment("type = 'Adam'"));
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

TEST_CASE("optimization: each optimizer has torch's defaults") {
    CHECK(read(experiment("type = 'Adam'")).optimizer.lr == 1e-3);
    CHECK(read(experiment("type = 'AdamW'")).optimizer.weight_decay == 1e-2);
    CHECK(read(experiment("type = 'RMSprop'")).optimizer.lr == 1e-2);
    const Optimizer adagrad = read(experiment("type = 'Adagrad'")).optimizer;
    CHECK(adagrad.lr == 1e-2);
    CHECK(adagrad.eps == 1e-10);
    const Optimizer lbfgs = read(experiment("type = 'LBFGS'")).optimizer;
    CHECK(lbfgs.lr == 1.0);
    CHECK(lbfgs.max_iter == 20);
    CHECK_FALSE(lbfgs.max_eval);
    CHECK(lbfgs.line_search_fn == "none");
}

TEST_CASE("optimization: a group has the optimizer's options but for its own") {
    const Training training =
        read(experiment("type = 'SGD'\nlr = 0.5\nmomentum = 0.9\nnesterov = true\n"
                        "groups.net = { lr = 0.25, weight_decay = 0.125 }\n"
                        "groups.other.frozen = true"));
    REQUIRE(training.groups.size() == 2);
    CHECK(training.groups[0].component == "net");
    CHECK(training.groups[0].options.lr == 0.25);
    CHECK(training.groups[0].options.weight_decay == 0.125);
    CHECK(training.groups[0].options.momentum == 0.9);
    CHECK(training.groups[0].options.nesterov);
    CHECK_FALSE(training.groups[0].is_frozen);
    CHECK(training.groups[1].is_frozen);
    CHECK(training.groups[1].options.lr == 0.5);
}

TEST_CASE("optimization: a bad loss is a word or a table") {
    CHECK(read(experiment("type = 'Adam'", "on_bad_loss = 'skip'")).bad_loss.limit == 10);
    CHECK(read(experiment("type = 'Adam'", "on_bad_loss = 'rollback'")).bad_loss.limit == 3);
    CHECK(read(experiment("type = 'Adam'", "on_bad_loss = 'stop'")).bad_loss.looks_at_gradients);
    const BadLoss rollback =
        read(experiment("type = 'Adam'",
                        "on_bad_loss = { action = 'rollback', limit = 1, lr_factor = 0.1 }"))
            .bad_loss;
    CHECK(rollback.action == "rollback");
    CHECK(rollback.limit == 1);
    CHECK(rollback.lr_factor == 0.1);
}

TEST_CASE("optimization: clipping is by value or by norm") {
    const auto of = [](const char* keys) {
        return *read(experiment("type = 'Adam'", keys)).gradient_clipping;
    };
    CHECK(of("gradient_clipping = { norm = 2 }").is_by_norm);
    CHECK(of("gradient_clipping = { norm = 2 }").limit == 2.0);
    CHECK_FALSE(of("gradient_clipping = { value = 3 }").is_by_norm);
    CHECK(of("gradient_clipping = { value = 3 }").limit == 3.0);
    CHECK_FALSE(of("gradient_clipping = 4").is_by_norm);
}

TEST_CASE("optimization: \"none\" removes what another file or the run has") {
    Loader loader(experiment("type = 'Adam'",
                             "scheduler = 'none'\nwarm_up = 'none'\ngradient_clipping = 'none'"));
    const Experiment removed = loader.read();
    CHECK(loader.problems() == "");
    CHECK_FALSE(removed.training.scheduler);
    CHECK_FALSE(removed.training.warm_up);
    CHECK_FALSE(removed.training.gradient_clipping);
    const Value written = resolved_tree(removed);
    CHECK(written.find_path("training.scheduler") == nullptr);
    CHECK(problems_of(experiment("type = 'Adam'", "scheduler = 3")) ==
          "x.toml:5:13: training.scheduler = 3: must be a table, not an integer");
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
        "scheduler = { type = 'CosineAnnealingWarmRestarts', T_0 = 4, T_mult = 2 }",
        "scheduler = { type = 'OneCycleLR', total_episodes = 100, three_phase = true }",
        "scheduler = { type = 'ReduceLROnPlateau', cooldown = 2, threshold_mode = 'abs' }",
        "gradient_clipping = { norm = 0.1 }\naccumulate = 4\nprecision = 'bf16'",
        "weight_average = { decay = 0.99, start_episode = 7 }\non_bad_loss = 'stop'",
        "on_bad_loss = { action = 'rollback', lr_factor = 0.25 }\nloss_weights = { loss = 0.5 }",
    };
    for (const std::string& key : keys) {
        CAPTURE(key);
        Loader loader(experiment("type = 'Adam'\ngroups.net = { lr = 0.25 }", key, kValidation));
        const Value written = resolved_tree(loader.read());
        REQUIRE(loader.problems() == "");
        Loader again(to_toml(written));
        CHECK(resolved_tree(again.read()) == written);
        CHECK(again.problems() == "");
    }
    const Value lbfgs = resolved_tree(
        Loader(experiment("type = 'LBFGS'\nmax_eval = 3\nline_search_fn = 'strong_wolfe'")).read());
    CHECK(lbfgs.find_path("training.optimizer.max_eval")->as_integer() == 3);
    CHECK(lbfgs.find_path("training.optimizer.line_search_fn")->as_string() == "strong_wolfe");
    CHECK(lbfgs.find_path("training.optimizer.weight_decay") == nullptr);
}

TEST_CASE("optimization: wrong keys of [training] are refused") {
    const Case cases[] = {
        {"accumulate = 0", "x.toml:5:14: training.accumulate = 0: must be in [1, inf)"},
        {"precision = 'fp16'",
         "x.toml:5:13: training.precision = \"fp16\": unknown precision; known: float32, bf16"},
        {"gradient_clipping = 'norm'",
         "x.toml:5:21: training.gradient_clipping = \"norm\": must be a real, not a string"},
        {"gradient_clipping = {}",
         "x.toml:5:21: training.gradient_clipping = {}: must have either a value or a norm"},
        {"gradient_clipping = { norm = 1, value = 1 }",
         "x.toml:5:21: training.gradient_clipping = { norm = 1, value = 1 }: must have either a "
         "value or a norm"},
        {"gradient_clipping = { norm = 0 }",
         "x.toml:5:30: training.gradient_clipping.norm = 0: must be in (0, inf)"},
        {"warm_up = { start_factor = 0.5 }",
         "x.toml:5:11: training.warm_up.episodes: required, but missing"},
        {"warm_up = { episodes = 0, start_factor = 0 }",
         "x.toml:5:24: training.warm_up.episodes = 0: must be in [1, inf)\n"
         "x.toml:5:42: training.warm_up.start_factor = 0: must be in (0, 1]"},
        {"weight_average = { decay = 1, start_episode = -1 }",
         "x.toml:5:28: training.weight_average.decay = 1: must be in [0, 1)\n"
         "x.toml:5:47: training.weight_average.start_episode = -1: must be in [0, inf)"},
        {"weight_average = {}",
         "x.toml:5:18: training.weight_average.decay: required, but missing"},
        {"on_bad_loss = 'ignore'",
         "x.toml:5:15: training.on_bad_loss = \"ignore\": unknown on_bad_loss; known: stop, skip, "
         "rollback"},
        {"on_bad_loss = { limit = 1 }",
         "x.toml:5:15: training.on_bad_loss.action: required, but missing"},
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
        CHECK(problems_of(experiment("type = 'Adam'", c.keys)) == c.message);
    }
}

TEST_CASE("optimization: a cycle that the limits cut off is warned of") {
    CHECK(
        problems_of(experiment("type = 'Adam'",
                               "scheduler = { type = 'OneCycleLR', total_episodes = 100 }\n"
                               "terminal_conditions = { episode_limit = 50 }")) ==
        "x.toml:5:53: training.scheduler.total_episodes: warning: the cycle has 100 episodes, but "
        "the training ends after 50: before the learning rate has come down");
}

TEST_CASE("optimization: wrong schedulers are refused") {
    const Case cases[] = {
        {"scheduler = { type = 'StepLr', step_size = 1 }",
         "x.toml:5:22: training.scheduler.type = \"StepLr\": unknown type; did you mean 'StepLR'?"},
        {"scheduler = { type = 'StepLR' }",
         "x.toml:5:13: training.scheduler.step_size: required, but missing"},
        {"scheduler = { type = 'StepLR', step_size = 0, gamma = 0 }",
         "x.toml:5:44: training.scheduler.step_size = 0: must be in [1, inf)\n"
         "x.toml:5:55: training.scheduler.gamma = 0: must be in (0, inf)"},
        {"scheduler = { type = 'StepLR', step_size = 1, patience = 1 }",
         "x.toml:5:47: training.scheduler.patience: "
         "StepLR has no option 'patience' (ReduceLROnPlateau has)"},
        {"scheduler = { type = 'MultiStepLR' }",
         "x.toml:5:13: training.scheduler.milestones: required, but missing"},
        {"scheduler = { type = 'MultiStepLR', milestones = [1, 'a'] }",
         "x.toml:5:50: training.scheduler.milestones = [1, \"a\"]: must be a list of epochs, at "
         "least one"},
        {"scheduler = { type = 'MultiStepLR', milestones = [5, 5] }",
         "x.toml:5:50: training.scheduler.milestones = [5, 5]: must be at least 1 and increase"},
        {"scheduler = { type = 'ExponentialLR' }",
         "x.toml:5:13: training.scheduler.gamma: required, but missing"},
        {"scheduler = { type = 'CosineAnnealingWarmRestarts', T_0 = 0, T_mult = 0, eta_min = -1 }",
         "x.toml:5:59: training.scheduler.T_0 = 0: must be in [1, inf)\n"
         "x.toml:5:71: training.scheduler.T_mult = 0: must be in [1, inf)\n"
         "x.toml:5:84: training.scheduler.eta_min = -1: must be in [0, inf)"},
        {"scheduler = { type = 'OneCycleLR', pct_start = 0.75, three_phase = true }",
         "x.toml:5:48: training.scheduler.pct_start = 0.75: must be at most 0.5 with three_phase, "
         "which falls as long as it rises"},
        {"scheduler = { type = 'OneCycleLR', anneal_strategy = 'cosine' }",
         "x.toml:5:54: training.scheduler.anneal_strategy = \"cosine\": unknown anneal_strategy; "
         "known: cos, linear"},
        {"scheduler = { type = 'OneCycleLR', base_momentum = 1, max_momentum = -0.5 }",
         "x.toml:5:52: training.scheduler.base_momentum = 1: must be in [0, 1)\n"
         "x.toml:5:70: training.scheduler.max_momentum = -0.5: must be in [0, 1)"},
        {"scheduler = { type = 'OneCycleLR', base_momentum = 0.96 }",
         "x.toml:5:52: training.scheduler.base_momentum = 0.96: must be at most max_momentum, "
         "which is 0.95"},
        {"scheduler = { type = 'StepLR', step_size = 1, cycle_momentum = true }",
         "x.toml:5:47: training.scheduler.cycle_momentum: "
         "StepLR has no option 'cycle_momentum' (OneCycleLR has)"},
        {"scheduler = { type = 'OneCycleLR' }\nwarm_up = { episodes = 3 }",
         "x.toml:6:11: training.warm_up = { episodes = 3 }: not beside OneCycleLR, which begins "
         "with a warm-up of its own"},
        {"scheduler = { type = 'ReduceLROnPlateau' }",
         "x.toml:5:22: training.scheduler.type = \"ReduceLROnPlateau\": looks at the validation "
         "loss, but there is no [validation]"},
        {"scheduler = { type = 'ReduceLROnPlateau', factor = 1, threshold_mode = 'abs', cooldown "
         "= -1 }\n"
         "[validation.task]\ntype = 'MNIST'\nbatch_size = 8",
         "x.toml:5:52: training.scheduler.factor = 1: must be in (0, 1)\n"
         "x.toml:5:90: training.scheduler.cooldown = -1: must be in [0, inf)"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.keys);
        CHECK(problems_of(experiment("type = 'Adam'", c.keys)) == c.message);
    }
}

TEST_CASE("optimization: a plateau's threshold leaves something that is better") {
    CHECK(problems_of(experiment("type = 'Adam'",
                                 "scheduler = { type = 'ReduceLROnPlateau', threshold = 1 }",
                                 kValidation)) ==
          "x.toml:5:55: training.scheduler.threshold = 1: must be below 1 with threshold_mode "
          "\"rel\", or no loss is better");
    CHECK(problems_of(experiment("type = 'Adam'",
                                 "scheduler = { type = 'ReduceLROnPlateau', threshold = 1, "
                                 "threshold_mode = 'abs' }",
                                 kValidation)) == "");
}

TEST_CASE("optimization: one cycle needs an optimizer with momentum to cycle it") {
    const std::string cycle = "scheduler = { type = 'OneCycleLR' }";
    CHECK(read(experiment("type = 'AdamW'", cycle)).scheduler->cycle_momentum);
    CHECK(read(experiment("type = 'SGD'\nlr = 1", cycle)).scheduler->cycle_momentum);
    for (const char* type : {"Adagrad", "LBFGS"}) {
        const std::string optimizer = fmt::format("type = '{}'", type);
        CHECK_FALSE(read(experiment(optimizer, cycle)).scheduler->cycle_momentum);
        CHECK(problems_of(experiment(
                  optimizer, "scheduler = { type = 'OneCycleLR', cycle_momentum = true }")) ==
              fmt::format("x.toml:5:53: training.scheduler.cycle_momentum = true: not with {}, "
                          "which has no momentum",
                          type));
    }
}

TEST_CASE("optimization: momentum that the cycle takes the place of is warned of") {
    const std::string cycle = "scheduler = { type = 'OneCycleLR' }";
    const std::string sgd = "type = 'SGD'\nlr = 1\nmomentum = 0.9";
    const auto said = [](const std::string& text) {
        Loader loader(text);
        loader.read();
        return loader.problems();
    };
    CHECK(said(experiment(sgd, cycle)) ==
          "x.toml:9:12: training.optimizer.momentum: warning: OneCycleLR takes one between 0.85 "
          "and 0.95 instead; cycle_momentum = false keeps this");
    CHECK(said(experiment("type = 'Adam'\ngroups.net.betas = [0.8, 0.99]", cycle)) ==
          "x.toml:8:20: training.optimizer.groups.net.betas: warning: OneCycleLR takes the first "
          "of them between 0.85 and 0.95 instead; cycle_momentum = false keeps this");
    CHECK(said(experiment(sgd, "scheduler = { type = 'OneCycleLR', cycle_momentum = false }")) ==
          "");
    CHECK(said(experiment(sgd + "\nnesterov = true", cycle)) == "");
}

TEST_CASE("optimization: wrong groups are refused") {
    const Case cases[] = {
        {"groups.nt.lr = 1",
         "x.toml:9:8: training.optimizer.groups.nt: unknown component; did you mean 'net'?"},
        {"groups.net = 1",
         "x.toml:9:14: training.optimizer.groups.net = 1: must be a table, not an integer"},
        {"groups.net.rl = 1",
         "x.toml:9:12: training.optimizer.groups.net.rl: unknown key; did you "
         "mean 'lr'?"},
        {"groups.net.type = 'SGD'",
         "x.toml:9:12: training.optimizer.groups.net.type: unknown key; known: lr, weight_decay, "
         "betas, eps, amsgrad, frozen"},
        {"groups.net.momentum = 1",
         "x.toml:9:12: training.optimizer.groups.net.momentum: "
         "Adam has no option 'momentum' (SGD and RMSprop have)"},
        {"groups.net = { lr = -1, frozen = 1 }",
         "x.toml:9:21: training.optimizer.groups.net.lr = -1: must be in [0, inf)\n"
         "x.toml:9:34: training.optimizer.groups.net.frozen = 1: must be a boolean, not an "
         "integer"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.keys);
        CHECK(problems_of(experiment("type = 'Adam'\nlr = 0.1\n" + c.keys)) == c.message);
    }
    CHECK(problems_of(experiment("type = 'Adam'\ngroups.net.lr = 1\ngroups.other.lr = 1", "",
                                 "enabled = false\n[pipeline.third]\ntype = 'LeNet5'")) ==
          "x.toml:9:8: training.optimizer.groups.other: the component is disabled");
    CHECK(problems_of(experiment("type = 'Adam'\ngroups.other.lr = 1", "", "freeze = true")) ==
          "x.toml:8:8: training.optimizer.groups.other: the component is frozen by its own "
          "`freeze`, so that nothing of it is trained");
    CHECK(problems_of(experiment("type = 'SGD'\nlr = 1\nmomentum = 0.9\nnesterov = true\n"
                                 "groups.net.momentum = 0")) ==
          "x.toml:11:8: training.optimizer.groups.net.nesterov: needs a momentum above 0 and no "
          "dampening");
}

TEST_CASE("optimization: what makes no sense with LBFGS is refused") {
    CHECK(problems_of(experiment("type = 'LBFGS'\nweight_decay = 0.1\ngroups.net = { lr = 1 }\n"
                                 "groups.other.frozen = true",
                                 "accumulate = 2\ngradient_clipping = 1.0\nprecision = 'bf16'\n"
                                 "on_bad_loss = 'skip'")) ==
          "x.toml:5:14: training.accumulate = 2: must be 1 with LBFGS, which evaluates one batch "
          "several times\n"
          "x.toml:6:21: training.gradient_clipping = 1.0: not with LBFGS, which needs the "
          "gradients of the loss that it sees\n"
          "x.toml:7:13: training.precision = \"bf16\": must be \"float32\" with LBFGS, which "
          "compares losses that differ little\n"
          "x.toml:8:15: training.on_bad_loss = \"skip\": not \"skip\" with LBFGS, which has "
          "changed the weights when it meets one\n"
          "x.toml:11:1: training.optimizer.weight_decay: "
          "LBFGS has no option 'weight_decay' (SGD, Adam, AdamW, RMSprop and Adagrad have)\n"
          "x.toml:12:16: training.optimizer.groups.net.lr: "
          "LBFGS has no option 'lr' (SGD, Adam, AdamW, RMSprop and Adagrad have)");
    CHECK(problems_of(experiment("type = 'LBFGS'\nmax_iter = 0\nmax_eval = 0\nhistory_size = 0\n"
                                 "line_search_fn = 'wolfe'")) ==
          "x.toml:8:12: training.optimizer.max_iter = 0: must be in [1, inf)\n"
          "x.toml:9:12: training.optimizer.max_eval = 0: must be in [1, inf)\n"
          "x.toml:10:16: training.optimizer.history_size = 0: must be in [1, inf)\n"
          "x.toml:11:18: training.optimizer.line_search_fn = \"wolfe\": unknown line_search_fn; "
          "did you mean 'strong_wolfe'?");
}
