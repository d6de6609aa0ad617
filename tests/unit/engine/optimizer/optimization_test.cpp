#include "engine/optimizer/optimization.hpp"

#include "base/error.hpp"
#include "support/golden.hpp"

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <memory>
#include <sstream>
#include <string>

namespace optimization_test {

using namespace ptp;
using namespace ptp::engine;

namespace {

ptp::experiment::Training sgd(double lr = 0.1) {
    ptp::experiment::Training training;
    training.optimizer = ptp::optimizer::Sgd{.lr = lr};
    return training;
}

// One parameter, trained by what a test says.
struct Bench {
    explicit Bench(const ptp::experiment::Training& training_in)
        : training(training_in),
          log("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)),
          optimization({training, log, alone}, {{"", training.optimizer, {{"net.w", weight}}}}, 4) {
        log.set_pattern("%v");
    }

    // An episode with a loss that has this gradient; returns what became of it.
    StepOutcome episode(std::uint64_t number, double gradient, double weighs = 1) {
        optimization.begin({number, number / 4, number % 4});
        const WeightedLoss loss = {(weight * gradient).sum(), weighs};
        const StepOutcome learned = optimization.backward({&loss, 1});
        return learned == StepOutcome::kApplied && optimization.is_step_due(number % 4 == 3)
                   ? optimization.step()
                   : learned;
    }
    [[nodiscard]] double value() const { return weight.item<double>(); }

    ptp::experiment::Training training;
    std::ostringstream text;
    spdlog::logger log;
    at::Tensor weight = torch::ones({1}, at::kDouble).requires_grad_();
    ptp::engine::Collective alone;
    Optimization optimization;
};

const double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("optimization: each episode uses its scheduled learning rate") {
    ptp::experiment::Training training = sgd(0.5);
    training.scheduler = ptp::schedule::StepLr{.step_size = 1, .gamma = 0.5};
    Bench bench(training);
    bench.episode(3, 1);
    CHECK(bench.value() == 0.5);
    bench.episode(4, 1);
    CHECK(bench.value() == 0.25);
    CHECK(bench.optimization.learning_rates() == std::vector<double>{0.25});
}

// The loss is 1.5 a^2 - b + b^2, as in learning_rates.py.
TEST_CASE("optimization: each optimizer has the momentum of the cycle, as in PyTorch") {
    const ptp::optimizer::Any all[] = {ptp::optimizer::Sgd(),    ptp::optimizer::RmsProp(),
                                       ptp::optimizer::Adam(),   ptp::optimizer::AdamW(),
                                       ptp::optimizer::Adamax(), ptp::optimizer::RAdam()};
    for (const ptp::optimizer::Any& options : all) {
        const std::string type(name_of(options));
        CAPTURE(type);
        ptp::experiment::Training training;
        training.optimizer = options;
        ptp::optimizer::lr_of(training.optimizer) = 0.05;
        training.scheduler = ptp::schedule::OneCycleLr{.total_episodes = {9}};
        Bench bench(training);
        const at::Tensor pair = torch::tensor({1.0, -2.0}, at::kDouble).requires_grad_();
        Optimization optimization({bench.training, bench.log, bench.alone},
                                  {{"", training.optimizer, {{"net.pair", pair}}}}, 4);
        const std::vector<double> wanted = ptp::test::golden("learning_rates", "weights_" + type);
        for (std::uint64_t i = 0; i < wanted.size() / 2; ++i) {
            CAPTURE(i);
            optimization.begin({i, i / 4, i % 4});
            const at::Tensor loss = 1.5 * pair[0].square() - pair[1] + pair[1].square();
            const WeightedLoss weighted = {loss, 1};
            optimization.backward({&weighted, 1});
            optimization.step();
            CHECK(pair[0].item<double>() == doctest::Approx(wanted[2 * i]).epsilon(1e-12));
            CHECK(pair[1].item<double>() == doctest::Approx(wanted[2 * i + 1]).epsilon(1e-12));
        }
    }
}

TEST_CASE("optimization: gradients of a batch that are bad spoil no other that is accumulated") {
    ptp::experiment::Training training = sgd(1.0);
    training.accumulate = 2;
    training.bad_loss = {.action = "skip", .looks_at_gradients = true};
    Bench bench(training);
    CHECK(bench.episode(0, 0.25) == StepOutcome::kApplied);
    CHECK(bench.episode(1, std::numeric_limits<double>::infinity()) == StepOutcome::kSkipped);
    CHECK(bench.value() == 1);
    CHECK(bench.episode(2, 0.75) == StepOutcome::kApplied);
    CHECK(bench.value() == 0.5);  // 1 - (0.25 + 0.75) / 2
    CHECK(bench.text.str().starts_with("the gradients are not all finite in episode 1 (epoch 1)"));
}

TEST_CASE("optimization: batches are accumulated, and what is left of an epoch has its step") {
    ptp::experiment::Training training = sgd(1.0);
    training.accumulate = 3;
    Bench bench(training);
    bench.episode(0, 1, 2);
    bench.episode(1, 4, 1);
    CHECK(bench.value() == 1);
    bench.episode(2, 3, 1);
    CHECK(bench.value() == 1 - 9.0 / 4);  // (2 * 1 + 4 + 3) / 4
    bench.episode(3, 0.25, 5);            // the last of the epoch
    CHECK(bench.value() == 1 - 9.0 / 4 - 0.25);
}

TEST_CASE("optimization: gradients are clipped after they are added up") {
    ptp::experiment::Training training = sgd(1.0);
    training.accumulate = 2;
    training.gradient_clipping = {.is_by_norm = true, .limit = 0.5};
    Bench bench(training);
    bench.episode(0, 7);
    bench.episode(1, -6.75);
    CHECK(bench.value() == 1 - 0.125);
    bench.episode(2, 2);
    bench.episode(3, 2);
    CHECK(bench.value() == doctest::Approx(1 - 0.125 - 0.5).epsilon(1e-6));
}

TEST_CASE("optimization: a loss that is not a number stops the training by default") {
    Bench bench(sgd());
    bench.optimization.begin({7, 1, 3});
    CHECK_THROWS_WITH_AS(bench.optimization.refuse("the loss 'loss' is nan"),
                         "the loss 'loss' is nan in episode 7 (epoch 2): the training has "
                         "diverged; a lower learning rate may help",
                         RunError);
    CHECK(bench.optimization.summary() == "");
}

TEST_CASE("optimization: gradients are looked at only where a rule is given") {
    Bench silent(sgd());
    CHECK(silent.episode(0, kNan) == StepOutcome::kApplied);
    CHECK(std::isnan(silent.value()));

    ptp::experiment::Training training = sgd();
    training.bad_loss = {.action = "stop", .looks_at_gradients = true};
    Bench bench(training);
    CHECK_THROWS_WITH_AS(bench.episode(5, kNan),
                         "the gradients are not all finite in episode 5 (epoch 2): the training "
                         "has diverged; a lower learning rate may help",
                         RunError);
    CHECK(bench.value() == 1);
}

TEST_CASE("optimization: bad gradients are skipped, counted and limited in number") {
    ptp::experiment::Training training = sgd();
    training.optimizer = ptp::optimizer::Sgd{.lr = 0.1, .momentum = 0.9};
    training.bad_loss = {.action = "skip", .limit = 2, .looks_at_gradients = true};
    Bench bench(training);
    Bench without(training);
    bench.episode(0, 1);
    without.episode(0, 1);
    CHECK(bench.episode(1, kNan) == StepOutcome::kSkipped);
    CHECK(bench.optimization.summary() ==
          "1 episode was skipped because a loss or a gradient was not a finite number");
    CHECK(bench.episode(2, 2) == StepOutcome::kApplied);
    without.episode(2, 2);
    CHECK(bench.value() == without.value());
    CHECK(bench.optimization.refuse("the loss 'loss' is inf") == StepOutcome::kSkipped);
    CHECK(bench.optimization.summary() ==
          "2 episodes were skipped because a loss or a gradient was not a finite number");
    CHECK(bench.text.str() ==
          "the gradients are not all finite in episode 1 (epoch 1): the episode is skipped (1 of "
          "at most 2)\n"
          "the loss 'loss' is inf in episode 2 (epoch 1): the episode is skipped (2 of at most "
          "2)\n");
    CHECK_THROWS_WITH_AS(bench.episode(3, kNan),
                         "the gradients are not all finite in episode 3 (epoch 1), after 2 that "
                         "were skipped: this is the limit of training.on_bad_loss; a lower "
                         "learning rate may help",
                         RunError);
}

TEST_CASE("optimization: a rollback lowers the learning rate and outlives the restoring") {
    ptp::experiment::Training training = sgd(1.0);
    training.bad_loss = {
        .action = "rollback", .limit = 2, .lr_factor = 0.5, .looks_at_gradients = true};
    Bench bench(training);
    bench.episode(0, 0.25);
    const SavedState saved = bench.optimization.save();
    const auto roll_back = [&] {
        const Optimization::RollbackState before = bench.optimization.rollback_state();
        bench.optimization.restore(saved);
        bench.optimization.set_rollback_state(before);
    };
    CHECK(bench.episode(1, kNan) == StepOutcome::kRollback);
    roll_back();
    bench.episode(1, 0.25);
    CHECK(bench.value() == 1 - 0.25 - 0.125);
    CHECK(bench.episode(2, kNan) == StepOutcome::kRollback);
    roll_back();
    bench.episode(2, 0.25);
    CHECK(bench.value() == 1 - 0.25 - 0.125 - 0.0625);
    CHECK(bench.optimization.summary() ==
          "2 times the training was rolled back because a loss or a gradient was not a finite "
          "number; learning rates are 0.25 of what they were");
    CHECK(bench.text.str() ==
          "the gradients are not all finite in episode 1 (epoch 1): back to the last checkpoint, "
          "with 0.5 of the learning rate (1 of at most 2)\n"
          "the gradients are not all finite in episode 2 (epoch 1): back to the last checkpoint, "
          "with 0.25 of the learning rate (2 of at most 2)\n");
    CHECK_THROWS_WITH_AS(bench.episode(3, kNan),
                         "the gradients are not all finite in episode 3 (epoch 1), after 2 that "
                         "were rolled back: this is the limit of training.on_bad_loss; a lower "
                         "learning rate may help",
                         RunError);
}

TEST_CASE("optimization: a restored one continues with the same bits, at every episode") {
    ptp::experiment::Training training;
    training.optimizer = ptp::optimizer::Sgd{.lr = 0.3, .momentum = 0.9};
    training.accumulate = 3;
    training.gradient_clipping = {.is_by_norm = true, .limit = 0.7};
    training.weight_average = {.decay = 0.9, .start_episode = 3};
    training.warm_up = {.episodes = 5, .start_factor = 0.1};
    training.scheduler = ptp::schedule::CosineAnnealingWarmRestarts{.first_period = 2};
    const auto train = [](Bench& bench, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) {
            bench.episode(i, std::sin(static_cast<double>(i) + 1), static_cast<double>(i % 3 + 1));
        }
    };
    const auto averaged = [](Bench& bench) {
        const WeightAverage::InPlace in_place(bench.optimization.average());
        return bench.value();
    };
    Bench whole(training);
    train(whole, 0, 12);
    for (std::uint64_t stop = 0; stop < 12; ++stop) {
        CAPTURE(stop);
        Bench first(training);
        train(first, 0, stop);
        Bench second(training);
        second.weight.detach().copy_(first.weight.detach());
        second.optimization.restore(first.optimization.save());
        train(second, stop, 12);
        CHECK(second.value() == whole.value());
        CHECK(averaged(second) == averaged(whole));
        CHECK(averaged(second) != second.value());
    }
}

TEST_CASE("optimization: LBFGS evaluates as often as it wants and finds the minimum") {
    ptp::experiment::Training training;
    training.optimizer = ptp::optimizer::Lbfgs{.line_search_fn = "strong_wolfe"};
    Bench bench(training);
    int evaluations = 0;
    for (std::uint64_t i = 0; i < 3; ++i) {
        bench.optimization.begin({i, 0, i});
        bench.optimization.step_with_closure([&] {
            ++evaluations;
            at::Tensor loss = (bench.weight - 3).pow(4).sum();
            loss.backward();
            return loss;
        });
    }
    CHECK(evaluations > 3);
    CHECK(bench.value() == doctest::Approx(3).epsilon(1e-2));
}

TEST_CASE(
    "optimization: where all have options of their own, the optimizer's rate is reported too") {
    ptp::experiment::Training training = sgd(0.5);
    training.scheduler = ptp::schedule::StepLr{.step_size = 1, .gamma = 0.5};
    std::ostringstream text;
    spdlog::logger log("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
    ptp::engine::Collective alone;
    const auto make = [&] {
        const auto group = [&](const char* name, double lr) {
            const ptp::optimizer::Any options = ptp::optimizer::Sgd{.lr = lr};
            return ParameterGroup{
                name, options, {{std::string(name) + ".w", torch::ones({1}).requires_grad_()}}};
        };
        return std::make_unique<Optimization>(Optimization::Dependencies{training, log, alone},
                                              std::vector{group("a", 0.1), group("b", 0.2)}, 4);
    };
    const auto optimization = make();
    CHECK(optimization->rate_names() ==
          std::vector<std::string>{"learning_rate", "learning_rate.a", "learning_rate.b"});
    optimization->begin({4, 1, 0});
    CHECK(optimization->learning_rates() == std::vector<double>{0.25, 0.05, 0.1});
    optimization->set_learning_rate(1, "a");
    CHECK(optimization->learning_rates() == std::vector<double>{0.25, 0.5, 0.1});
    optimization->set_learning_rate(2, "");
    CHECK(optimization->learning_rates() == std::vector<double>{1, 1, 1});
    const auto restored = make();
    restored->restore(optimization->save());
    restored->begin({4, 1, 0});
    CHECK(restored->learning_rates() == std::vector<double>{1, 1, 1});
}

TEST_CASE("optimization: twenty steps whose gradients are all 0 are warned of, once") {
    Bench bench(sgd());
    for (std::uint64_t number = 0; number < 19; ++number) {
        CHECK(bench.episode(number, 0) == StepOutcome::kApplied);
    }
    CHECK(bench.text.str() == "");
    for (std::uint64_t number = 19; number < 50; ++number) {
        bench.episode(number, 0);
    }
    bench.optimization.end();
    CHECK(bench.text.str() ==
          "nothing is learned: all gradients were 0 in 20 steps of the optimizer\n"
          "    fix: look at what is between the models and the loss: a log-softmax of a single "
          "prediction is always 0, an activation may be 0 for every sample, or the loss may not "
          "read what a model writes\n");
    CHECK(bench.value() == 1);
}

TEST_CASE("optimization: a training that ends before is judged by the steps that it has had") {
    Bench bench(sgd());
    bench.episode(0, 0);
    bench.optimization.end();
    CHECK(bench.text.str().starts_with(
        "nothing is learned: all gradients were 0 in 1 step of the optimizer\n"));
    Bench without_steps(sgd());
    without_steps.optimization.end();
    CHECK(without_steps.text.str() == "");
}

TEST_CASE("optimization: steps too small to move a weight are warned of") {
    Bench bench(sgd(1e-20));  // 1 - 1e-20 is 1
    for (std::uint64_t number = 0; number < 20; ++number) {
        bench.episode(number, 1);
    }
    CHECK(bench.text.str() ==
          "no weight has moved in 20 steps of the optimizer\n"
          "    fix: set a higher training.optimizer.lr: the steps are too small for the weights\n");
}

TEST_CASE("optimization: one gradient and one weight that moves are enough") {
    Bench bench(sgd());
    bench.episode(0, 0);
    bench.episode(1, 1);
    for (std::uint64_t number = 2; number < 50; ++number) {
        bench.episode(number, 0);
    }
    bench.optimization.end();
    CHECK(bench.text.str() == "");
}

TEST_CASE("optimization: steps at a learning rate of 0 do not count, as in a warm-up") {
    Bench bench(sgd(0));
    for (std::uint64_t number = 0; number < 30; ++number) {
        bench.episode(number, 1);
    }
    bench.optimization.end();
    CHECK(bench.text.str() == "");
}

}  // namespace optimization_test
