// What [training] may say of the schedule of the learning rate, and every mistake in it.

#include "experiment/readers.hpp"

#include "optimization_text.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

namespace read_scheduler_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

struct Case {
    std::string keys;
    std::string message;
};

}  // namespace

TEST_CASE("optimization: a cycle that the limits cut off is warned of") {
    CHECK(problems_of(experiment_text("type = 'Adam'",
                                      "scheduler = { type = 'OneCycleLR', total_episodes = 100 }\n"
                                      "terminal_conditions = { episode_limit = 50 }")) ==
          "x.toml:5:53: training.scheduler.total_episodes: warning: the schedule has 100 episodes, "
          "but the training ends after 50: before the learning rate has come down");
}

TEST_CASE("optimization: a schedule that begins after the training is warned of") {
    CHECK(
        problems_of(experiment_text("type = 'Adam'",
                                    "scheduler = { type = 'StepLR', step_size = 30 }\n"
                                    "terminal_conditions = { epoch_limit = 30 }")) ==
        "x.toml:5:44: training.scheduler.step_size: warning: step_size = 30, but the training has "
        "at most 30 epochs: the learning rate never changes\n"
        "    fix: take a smaller step_size, or a longer training");
}

TEST_CASE("optimization: wrong schedulers are refused") {
    const Case cases[] = {
        {"scheduler = { type = 'StepLr', step_size = 1 }",
         "x.toml:5:22: training.scheduler.type = \"StepLr\": unknown type; did you mean 'StepLR'?\n"
         "    fix: write \"StepLR\""},
        {"scheduler = { type = 'StepLR' }",
         "x.toml:5:13: training.scheduler.step_size: required, but missing: an integer in [1, inf) "
         "(epochs between two changes)\n    fix: write step_size = 3"},
        {"scheduler = { type = 'StepLR', step_size = 0, gamma = 0 }",
         "x.toml:5:44: training.scheduler.step_size = 0: must be in [1, inf)\n"
         "x.toml:5:55: training.scheduler.gamma = 0: must be in (0, inf)"},
        {"scheduler = { type = 'StepLR', step_size = 1, patience = 1 }",
         "x.toml:5:47: training.scheduler.patience: "
         "StepLR has no option 'patience' (ReduceLROnPlateau has)"},
        {"scheduler = { type = 'MultiStepLR' }",
         "x.toml:5:13: training.scheduler.milestones: required, but missing: a list of epochs, at "
         "least one (epochs of the changes, increasing)\n    fix: write milestones = [6, 8]"},
        {"scheduler = { type = 'MultiStepLR', milestones = [1, 'a'] }",
         "x.toml:5:54: training.scheduler.milestones[1] = \"a\": must be an integer, not a string"},
        {"scheduler = { type = 'MultiStepLR', milestones = [5, 5] }",
         "x.toml:5:50: training.scheduler.milestones = [5, 5]: must be at least 1 and increase"},
        {"scheduler = { type = 'ExponentialLR' }",
         "x.toml:5:13: training.scheduler.gamma: required, but missing: a real in (0, inf) (factor of "
         "the learning rate)\n    fix: write gamma = 0.95"},
        {"scheduler = { type = 'CosineAnnealingLR', T_max = 0, eta_min = -1 }",
         "x.toml:5:51: training.scheduler.T_max = 0: must be in [1, inf)\n"
         "x.toml:5:64: training.scheduler.eta_min = -1: must be in [0, inf)"},
        {"scheduler = { type = 'CosineAnnealingWarmRestarts', T_0 = 0, T_mult = 0, eta_min = -1 }",
         "x.toml:5:59: training.scheduler.T_0 = 0: must be in [1, inf)\n"
         "x.toml:5:71: training.scheduler.T_mult = 0: must be in [1, inf)\n"
         "x.toml:5:84: training.scheduler.eta_min = -1: must be in [0, inf)"},
        {"scheduler = { type = 'OneCycleLR', pct_start = 0.75, three_phase = true }",
         "x.toml:5:48: training.scheduler.pct_start = 0.75: must be at most 0.5 with three_phase, "
         "which falls as long as it rises"},
        {"scheduler = { type = 'OneCycleLR', anneal_strategy = 'cosine' }",
         "x.toml:5:54: training.scheduler.anneal_strategy = \"cosine\": must be one of cos, "
         "linear"},
        {"scheduler = { type = 'OneCycleLR', base_momentum = 1, max_momentum = -0.5 }",
         "x.toml:5:52: training.scheduler.base_momentum = 1: must be in [0, 1)\n"
         "x.toml:5:70: training.scheduler.max_momentum = -0.5: must be in [0, 1)"},
        {"scheduler = { type = 'OneCycleLR', base_momentum = 0.96 }",
         "x.toml:5:52: training.scheduler.base_momentum = 0.96: must be at most max_momentum, "
         "which is 0.95"},
        {"scheduler = { type = 'StepLR', step_size = 1, cycle_momentum = true }",
         "x.toml:5:47: training.scheduler.cycle_momentum: "
         "StepLR has no option 'cycle_momentum' (OneCycleLR and CyclicLR have)"},
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
        CHECK(problems_of(experiment_text("type = 'Adam'", c.keys)) == c.message);
    }
}

TEST_CASE("optimization: wrong values of polynomial, cyclic and lambda schedules are refused") {
    const Case cases[] = {
        {"scheduler = { type = 'PolynomialLR', total_episodes = 0, power = 0 }",
         "x.toml:5:55: training.scheduler.total_episodes = 0: must be in [1, inf)\n"
         "x.toml:5:66: training.scheduler.power = 0: must be in (0, inf)"},
        {"scheduler = { type = 'CyclicLR' }",
         "x.toml:5:13: training.scheduler.max_lr: required, but missing: a real in (0, inf) (the "
         "rate in the middle of the first cycle)\n    fix: write max_lr = 0.1"},
        {"scheduler = { type = 'CyclicLR', max_lr = 0, step_size_up = 0, step_size_down = 0, gamma "
         "= 1.5 }",
         "x.toml:5:43: training.scheduler.max_lr = 0: must be in (0, inf)\n"
         "x.toml:5:61: training.scheduler.step_size_up = 0: must be in [1, inf)\n"
         "x.toml:5:81: training.scheduler.step_size_down = 0: must be in [1, inf)\n"
         "x.toml:5:92: training.scheduler.gamma = 1.5: must be in (0, 1]"},
        {"scheduler = { type = 'CyclicLR', max_lr = 0.0001, mode = 'triangle' }",
         "x.toml:5:43: training.scheduler.max_lr = 0.0001: must be at least the optimizer's lr, "
         "which is 0.001\n"
         "x.toml:5:58: training.scheduler.mode = \"triangle\": must be one of triangular, "
         "triangular2, exp_range; did you mean 'triangular'?"},
        {"scheduler = { type = 'CyclicLR', max_lr = 1, base_momentum = 0.95 }",
         "x.toml:5:62: training.scheduler.base_momentum = 0.95: must be at most max_momentum, "
         "which is 0.9"},
        {"scheduler = { type = 'LambdaLR', lr_lambda = '0.95 ** epch' }",
         "x.toml:5:46: training.scheduler.lr_lambda = \"0.95 ** epch\": unknown name 'epch'; "
         "did you mean 'epoch'?"},
        {"scheduler = { type = 'LambdaLR', lr_lambda = '' }",
         "x.toml:5:46: training.scheduler.lr_lambda = \"\": must not be empty"},
        {"scheduler = { type = 'LambdaLR', lr_lambda = 0.5 }",
         "x.toml:5:46: training.scheduler.lr_lambda = 0.5: must be a string, not a real"},
        {"scheduler = { type = 'LambdaLR', lr_lambda = '1 / epoch' }",
         "x.toml:5:46: training.scheduler.lr_lambda = \"1 / epoch\": is inf in the first episode, "
         "must be finite and at least 0"},
        {"scheduler = { type = 'LambdaLR', lr_lambda = 'epoch - 1' }",
         "x.toml:5:46: training.scheduler.lr_lambda = \"epoch - 1\": is -1 in the first episode, "
         "must be finite and at least 0"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.keys);
        CHECK(problems_of(experiment_text("type = 'Adam'", c.keys)) == c.message);
    }
}

TEST_CASE("optimization: a schedule beside Rprop is warned of") {
    CHECK(problems_of(experiment_text("type = 'Rprop'",
                                      "scheduler = { type = 'ExponentialLR', gamma = 0.5 }")) ==
          "x.toml:5:13: training.scheduler: warning: has no effect: Rprop uses the learning rate "
          "for its first step alone");
}

TEST_CASE("optimization: a plateau's threshold leaves something that is better") {
    CHECK(problems_of(experiment_text("type = 'Adam'",
                                      "scheduler = { type = 'ReduceLROnPlateau', threshold = 1 }",
                                      kValidation)) ==
          "x.toml:5:55: training.scheduler.threshold = 1: must be below 1 with threshold_mode "
          "\"rel\", or no loss is better");
    CHECK(problems_of(experiment_text("type = 'Adam'",
                                      "scheduler = { type = 'ReduceLROnPlateau', threshold = 1, "
                                      "threshold_mode = 'abs' }",
                                      kValidation)) == "");
}

TEST_CASE("optimization: one cycle needs an optimizer with momentum to cycle it") {
    const std::string cycle = "scheduler = { type = 'OneCycleLR' }";
    const auto cycles = [&](const std::string& options) {
        const Training training = read_training_of(experiment_text(options, cycle));
        return std::get<schedule::OneCycleLr>(*training.scheduler).cycled_momentum.is_on;
    };
    CHECK(cycles("type = 'AdamW'"));
    CHECK(cycles("type = 'SGD'\nlr = 1"));
    for (const char* type : {"Adagrad", "LBFGS", "Adadelta"}) {
        const std::string optimizer = fmt::format("type = '{}'", type);
        CHECK_FALSE(cycles(optimizer));
        CHECK(problems_of(experiment_text(
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
    CHECK(said(experiment_text(sgd, cycle)) ==
          "x.toml:9:12: training.optimizer.momentum: warning: OneCycleLR takes one between 0.85 "
          "and 0.95 instead; cycle_momentum = false keeps this");
    CHECK(said(experiment_text("type = 'Adam'\ngroups.net.betas = [0.8, 0.99]", cycle)) ==
          "x.toml:8:20: training.optimizer.groups.net.betas: warning: OneCycleLR takes the first "
          "of them between 0.85 and 0.95 instead; cycle_momentum = false keeps this");
    CHECK(said(experiment_text(
              sgd, "scheduler = { type = 'OneCycleLR', cycle_momentum = false }")) == "");
    CHECK(said(experiment_text(sgd + "\nnesterov = true", cycle)) == "");
}

}  // namespace read_scheduler_test
