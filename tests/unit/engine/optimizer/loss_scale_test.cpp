#include "engine/optimizer/gradients.hpp"

#include "base/error.hpp"
#include "engine/optimizer/optimization.hpp"

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <torch/types.h>

#include <limits>
#include <memory>
#include <sstream>

namespace loss_scale_test {

using namespace ptp;
using namespace ptp::engine;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ptp::experiment::Training fp16() {
    ptp::experiment::Training training;
    training.optimizer = ptp::optimizer::Sgd{.lr = 1};
    training.precision = "fp16";
    return training;
}

// One parameter, 1 at first, whose gradient a test states. It is not computed in float16: what
// overflows there is told by an infinite gradient.
struct Half {
    explicit Half(const ptp::experiment::Training& training_in)
        : training(training_in),
          log("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)),
          optimization({training, log, alone}, {{"", training.optimizer, {{"net.w", weight}}}}, 4) {
        log.set_pattern("%v");
    }

    StepOutcome episode(std::uint64_t number, double gradient) {
        optimization.begin({number, number / 4, number % 4});
        const WeightedLoss loss = {(weight * gradient).sum(), 1};
        optimization.backward({&loss, 1});
        scaled_gradient = weight.grad().defined() ? weight.grad().item<double>() : 0;
        return optimization.is_step_due(false) ? optimization.step() : StepOutcome::kApplied;
    }
    [[nodiscard]] double value() const { return weight.item<double>(); }
    [[nodiscard]] double scale() const {
        return part_of(optimization.save(), "loss_scale").record.find("value")->as_real();
    }

    ptp::experiment::Training training;
    std::ostringstream text;
    spdlog::logger log;
    at::Tensor weight = torch::ones({1}, at::kDouble).requires_grad_();
    ptp::engine::Collective alone;
    Optimization optimization;
    double scaled_gradient = 0;
};

}  // namespace

TEST_CASE("loss scale: a loss is scaled by 65536 at first, and gradients are divided by it") {
    const LossScale scale;
    CHECK(scale.scaled(torch::full({}, 0.5)).item<double>() == 32768);
    const at::Tensor gradient = torch::full({2}, 65536.0 * 3);
    scale.unscale({gradient});
    CHECK(gradient[1].item<double>() == 3);
}

TEST_CASE("loss scale: it doubles after 2000 steps in a row, and is halved by an overflow") {
    LossScale scale;
    for (int i = 0; i < 1999; ++i) {
        scale.has_stepped();
    }
    CHECK(scale.value() == 65536);
    scale.has_stepped();
    CHECK(scale.value() == 131072);
    for (int i = 0; i < 1999; ++i) {
        scale.has_stepped();
    }
    scale.has_overflowed();
    CHECK(scale.value() == 65536);
    CHECK(scale.overflow_count() == 1);
    scale.has_stepped();  // the first in a row again
    CHECK(scale.value() == 65536);
}

TEST_CASE("loss scale: it is saved with the steps since it has changed") {
    LossScale saved;
    saved.has_overflowed();
    for (int i = 0; i < 1999; ++i) {
        saved.has_stepped();
    }
    LossScale restored;
    restored.restore(saved.save());
    CHECK(restored.value() == 32768);
    CHECK(restored.overflow_count() == 1);
    restored.has_stepped();
    CHECK(restored.value() == 65536);
    CHECK_THROWS_AS(restored.restore({}), RunError);
}

TEST_CASE("loss scale: the backward pass sees the scaled loss, and the step plain gradients") {
    Half half(fp16());
    half.episode(0, 0.25);
    CHECK(half.scaled_gradient == 0.25 * 65536);
    CHECK(half.value() == 0.75);
}

TEST_CASE("loss scale: gradients are clipped after they are divided") {
    ptp::experiment::Training training = fp16();
    training.gradient_clipping = {.is_by_norm = false, .limit = 0.5};
    Half half(training);
    half.episode(0, 0.25);
    CHECK(half.value() == 0.75);
    half.episode(1, 2);
    CHECK(half.value() == 0.25);
}

TEST_CASE("loss scale: gradients that overflow leave the step out, and halve the scale") {
    Half half(fp16());
    CHECK(half.episode(0, kInfinity) == StepOutcome::kApplied);
    CHECK(half.value() == 1);
    CHECK(half.scale() == 32768);
    CHECK(
        half.text.str() ==
        "the gradients overflow in float16 in episode 0 (epoch 1): no step, and the loss is scaled "
        "by 32768 from now on (1 left out so far)\n");
    CHECK(
        half.optimization.summary() ==
        "1 step was left out because gradients overflowed in float16; the loss is scaled by 32768");
    half.episode(1, 0.25);
    CHECK(half.scaled_gradient == 0.25 * 32768);
    CHECK(half.value() == 0.75);
}

TEST_CASE("loss scale: what is accumulated is left out together") {
    ptp::experiment::Training training = fp16();
    training.accumulate = 2;
    training.bad_loss = {.action = "skip", .looks_at_gradients = true};
    Half half(training);
    half.episode(0, 0.25);
    CHECK(half.episode(1, kInfinity) == StepOutcome::kApplied);
    CHECK(half.value() == 1);
    half.episode(2, 0.25);
    half.episode(3, 0.75);
    CHECK(half.value() == 0.5);  // 1 - (0.25 + 0.75) / 2
    CHECK(half.scale() == 32768);
}

TEST_CASE("loss scale: the steps of the optimizer are counted, not the batches") {
    ptp::experiment::Training training = fp16();
    training.optimizer = ptp::optimizer::Sgd{.lr = 0};
    for (const std::int64_t accumulate : {1, 2}) {
        CAPTURE(accumulate);
        training.accumulate = accumulate;
        Half half(training);
        for (std::uint64_t i = 0; i < 2000; ++i) {
            half.episode(i, 0.25);
        }
        CHECK(half.scale() == (accumulate == 1 ? 131072 : 65536));
    }
}

TEST_CASE("loss scale: at a scale of 1 gradients that are not finite are bad ones") {
    Half half(fp16());
    for (std::uint64_t i = 0; i < 16; ++i) {
        CHECK(half.episode(i, kInfinity) == StepOutcome::kApplied);
    }
    CHECK(half.scale() == 1);
    CHECK_THROWS_WITH_AS(
        half.episode(16, kInfinity),
        "the gradients are not all finite in episode 16 (epoch 5): the training has "
        "diverged; a lower learning rate may help",
        RunError);
}

TEST_CASE("loss scale: a checkpoint and a swap keep it") {
    Half half(fp16());
    half.episode(0, kInfinity);
    Half restored(fp16());
    restored.optimization.restore(half.optimization.save());
    CHECK(restored.scale() == 32768);
    Half swapped(fp16());
    swapped.optimization.rebind(half.optimization);
    CHECK(swapped.scale() == 32768);
}

TEST_CASE("loss scale: in float32 nothing is scaled or saved") {
    ptp::experiment::Training training = fp16();
    training.precision = "float32";
    Half half(training);
    half.episode(0, 0.25);
    CHECK(half.scaled_gradient == 0.25);
    CHECK(half.optimization.save().record.find("loss_scale") == nullptr);
}

}  // namespace loss_scale_test
