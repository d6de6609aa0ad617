// What a running training answers and does when it is asked to. Its epochs have 4 batches.

#include "engine/train/training_controls.hpp"

#include "base/error.hpp"
#include "support.hpp"

#include <ATen/ops/ones.h>
#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training_controls_test {

using ptp::Value;
using ptp::engine::Evaluation;
using ptp::engine::Measurement;
using ptp::engine::Optimization;
using ptp::engine::ParameterGroup;
using ptp::engine::Status;
using ptp::engine::TrainingControls;

namespace {

struct Bench {
    Bench() {
        experiment.training.optimizer = ptp::optimizer::Sgd{.lr = 0.5};
        experiment.training.terminal_conditions.epoch_limit = 10;
        stop.change(experiment.training.terminal_conditions);
        const auto group = [&](const char* name, double lr) {
            return ParameterGroup{
                name, ptp::optimizer::Sgd{.lr = lr}, {{std::string(name) + ".w", at::ones({1})}}};
        };
        optimization = std::make_unique<Optimization>(
            Optimization::Dependencies{experiment.training, *log.log},
            std::vector{group("", 0.5), group("head", 0.25)}, 4);
    }

    TrainingControls::Actions actions() {
        return {
            .optimization = [this]() -> Optimization& { return *optimization; },
            .batches_per_epoch = [] { return std::uint64_t{4}; },
            .rebind = [this] { notes += "rebind "; },
            .save =
                [this](Status status) { notes += std::string(status_name(status)) + " saved "; },
            .forget_best = [this] { notes += "forget_best "; },
            .validate =
                [this](const Evaluation& evaluation) {
                    asked.push_back(evaluation);
                    return validated;
                }};
    }

    // After N episodes.
    void set_episodes(std::uint64_t episodes) {
        state.episodes_done = episodes;
        state.epoch = episodes / 4;
        state.batches_done = episodes % 4;
    }
    [[nodiscard]] std::string limits() {
        Value table;
        progress.add_to(table);
        const Value* count = table.find("epoch_count");
        return count == nullptr ? "none" : std::to_string(count->as_integer());
    }

    ptp::test::MemoryLog log;
    ptp::test::MemoryConsole terminal;
    ptp::test::OneLoss losses;
    ptp::experiment::Experiment experiment;
    std::unique_ptr<Optimization> optimization;
    std::string notes;
    std::vector<Evaluation> asked;
    std::optional<std::vector<Measurement>> validated;
    ptp::engine::TrainerState state;
    ptp::engine::StopRules stop{experiment.training.terminal_conditions};
    ptp::engine::Progress progress{terminal.console, {}};
    ptp::Stopwatch time;
    TrainingControls controls{
        {experiment, actions(), losses.statistics(), state, stop, progress, time, *log.log}};
};

}  // namespace

TEST_CASE("training controls: before the first episode its standing has no losses") {
    Bench bench;
    bench.time.restart(5);
    const Value table = bench.controls.standing();
    CHECK(table.find("episode")->as_integer() == 0);
    CHECK(table.find("epoch")->as_integer() == 0);
    CHECK(table.find("seconds")->as_real() >= 5);
    CHECK(table.find("losses")->members().empty());
    CHECK(*table.find("learning_rates") ==
          Value::table({{"learning_rate", 0.5}, {"learning_rate.head", 0.25}}));
    CHECK(table.find("memory_bytes")->as_integer() > 0);
    CHECK(table.find("last") == nullptr);
    CHECK(table.find("best") == nullptr);
}

TEST_CASE("training controls: its standing has the position, the last loss and measurements") {
    Bench bench;
    bench.set_episodes(6);
    bench.losses.add(ptp::engine::kTrainingSet, 3, 2);
    bench.state.last = {"validation", {3, 0}, 0.5, Value::table({{"accuracy", 0.75}}), ""};
    bench.state.best = {"validation", {3, 0}, 0.25, Value::table({{"accuracy", 1.0}}), ""};
    const Value table = bench.controls.standing();
    CHECK(table.find("episode")->as_integer() == 6);
    CHECK(table.find("epoch")->as_integer() == 2);
    CHECK(*table.find("losses") == Value::table({{"loss", 3.0}}));
    CHECK(table.find("last")->find("loss")->as_real() == 0.5);
    CHECK(table.find("last")->find("epoch")->as_integer() == 1);
    CHECK(table.find("best")->find("statistics")->find("accuracy")->as_real() == 1);
    CHECK(bench.controls.next_position().episode == 6);
    CHECK(bench.controls.next_position().epoch == 1);
    CHECK(bench.controls.next_position().batch == 2);
}

TEST_CASE("training controls: after a swap other components are trained, and nothing else") {
    Bench bench;
    bench.state.best_saved = 4;
    bench.controls.swapped(false);
    CHECK(bench.notes == "rebind ");
    CHECK(bench.log.text.str().empty());
}

TEST_CASE("training controls: after a swap with other tensors the best weights do not count") {
    Bench bench;
    bench.controls.swapped(true);
    CHECK(bench.notes == "rebind ");
    bench.state.best_saved = 4;
    bench.controls.swapped(true);
    CHECK(bench.notes == "rebind rebind forget_best ");
    CHECK(bench.log.text.str() == "warning best checkpoint reset: it belongs to the older build\n");
}

TEST_CASE("training controls: a training that may roll back is saved after a swap") {
    Bench bench;
    bench.experiment.training.bad_loss.action = "rollback";
    bench.controls.swapped(false);
    CHECK(bench.notes == "rebind not_converged saved ");
}

TEST_CASE("training controls: other limits of the experiment count at once") {
    Bench bench;
    bench.set_episodes(6);
    CHECK(bench.stop.limit(6, 0) == Status::kRunning);
    bench.experiment.training.terminal_conditions.epoch_limit = 3;
    bench.experiment.training.terminal_conditions.episode_limit = 5;
    bench.controls.experiment_changed();
    CHECK(bench.limits() == "3");
    CHECK(bench.stop.limit(6, 0) == Status::kEpisodeLimit);
    CHECK(bench.notes == "not_converged saved ");
}

TEST_CASE("training controls: a change of the experiment decides whether the training is over") {
    struct Case {
        const char* name;
        std::uint64_t episodes;
        std::int64_t epoch_limit;
        std::int64_t early_stop_validations;
        bool is_online;
        std::vector<double> losses;  // of the validations; the training began with a loss of 1
        Status expected;
    };
    const Case cases[] = {
        {"before the first epoch", 0, 0, 10, false, {}, Status::kRunning},
        {"within an epoch", 9, 2, 10, false, {}, Status::kRunning},
        {"at the limit", 8, 2, 10, false, {0.5}, Status::kEpochLimit},
        {"below the limit", 8, 3, 10, false, {0.5}, Status::kRunning},
        {"without a better loss", 8, 3, 1, false, {0.5, 0.6}, Status::kEarlyStopping},
        {"online, which judges elsewhere", 8, 3, 1, true, {0.5, 0.6}, Status::kRunning},
        {"online, at the limit", 8, 2, 1, true, {0.5, 0.6}, Status::kEpochLimit},
        {"far off at the limit", 8, 2, 10, false, {2000}, Status::kDiverged},
        {"far off below the limit", 8, 3, 10, false, {2000}, Status::kRunning}};
    for (const Case& c : cases) {
        CAPTURE(c.name);
        Bench bench;
        bench.set_episodes(c.episodes);
        bench.state.status = Status::kEpochLimit;
        auto& conditions = bench.experiment.training.terminal_conditions;
        conditions.epoch_limit = c.epoch_limit;
        conditions.early_stop_validations = c.early_stop_validations;
        bench.experiment.training.worker =
            c.is_online ? ptp::experiment::Worker::kOnline : ptp::experiment::Worker::kOffline;
        bench.stop.trained(1);
        for (const double loss : c.losses) {
            bench.stop.validated(loss);
        }
        bench.controls.experiment_changed();
        CHECK(bench.state.status == c.expected);
        CHECK(bench.notes == std::string(status_name(c.expected)) + " saved ");
        CHECK(bench.log.text.str().empty());
    }
}

TEST_CASE("training controls: a limit that ended the training within an epoch is warned about") {
    for (const Status limit : {Status::kEpisodeLimit, Status::kTimeLimit, Status::kEpochLimit}) {
        Bench bench;
        bench.set_episodes(4);
        bench.state.episodes_done = 3;  // of an epoch that counts as a whole one
        bench.state.status = limit;
        bench.controls.experiment_changed();
        CHECK(bench.log.text.str() ==
              (limit == Status::kEpochLimit
                   ? ""
                   : "warning the limit ended the training within an epoch, which counts as a "
                     "whole one: the numbers differ from a run that had the new limit from its "
                     "start\n"));
    }
}

TEST_CASE("training controls: a validation on request measures the whole set") {
    Bench bench;
    bench.set_episodes(6);
    bench.validated = std::vector<Measurement>{{"validation", {5, 1}, 0.5, {}, "loss 0.5000"}};
    CHECK(bench.controls.validate_now() == "validation after 6 episodes: loss 0.5000");
    REQUIRE(bench.asked.size() == 1);
    CHECK(bench.asked[0].set == ptp::engine::kValidationSet);
    CHECK(bench.asked[0].position.episode == 5);
    CHECK(bench.asked[0].epoch == 1);
    CHECK(bench.asked[0].max_batches == UINT64_MAX);
    bench.validated = std::vector<Measurement>{{"validation.easy", {5, 1}, 0.5, {}, "loss 0.5000"},
                                               {"validation.hard", {5, 1}, 0.7, {}, "loss 0.7000"}};
    CHECK(bench.controls.validate_now() ==
          "validation after 6 episodes: validation.easy  loss 0.5000; validation.hard  loss "
          "0.7000");
    bench.validated.reset();  // by a signal
    CHECK(!bench.controls.validate_now());
}

TEST_CASE("training controls: why no validation is possible") {
    Bench bench;
    CHECK(bench.controls.no_validation() == "nothing has been trained yet");
    bench.set_episodes(1);
    CHECK(bench.controls.no_validation().empty());
    TrainingControls::Actions without = bench.actions();
    without.validate = nullptr;
    const TrainingControls controls({bench.experiment, std::move(without),
                                     bench.losses.statistics(), bench.state, bench.stop,
                                     bench.progress, bench.time, *bench.log.log});
    CHECK(controls.no_validation() == "the experiment has no [validation]");
}

TEST_CASE("training controls: a learning rate is set in the optimization that is in use") {
    Bench bench;
    bench.controls.check_group("head");
    CHECK_THROWS_WITH_AS(bench.controls.check_group("tail"),
                         "unknown parameter group 'tail'; known: head", ptp::RunError);
    bench.controls.set_learning_rate(0.125, "head");
    CHECK(bench.optimization->learning_rates() == std::vector{0.5, 0.125});
    const std::unique_ptr<Optimization> old =
        std::exchange(bench.optimization,
                      std::make_unique<Optimization>(
                          Optimization::Dependencies{bench.experiment.training, *bench.log.log},
                          std::vector{ParameterGroup{
                              "", ptp::optimizer::Sgd{.lr = 0.5}, {{"net.w", at::ones({1})}}}},
                          4));
    bench.controls.set_learning_rate(0.0625, "");
    CHECK(bench.optimization->learning_rates() == std::vector{0.0625});
    CHECK(old->learning_rates() == std::vector{0.5, 0.125});
}

}  // namespace training_controls_test
