// What an optimization knows continues with the tensors of newer components.

#include "engine/optimizer/optimization.hpp"

#include <doctest/doctest.h>
#include <spdlog/sinks/null_sink.h>
#include <torch/types.h>

#include <cmath>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace rebind_test {

using namespace ptp;
using namespace ptp::engine;

namespace {

ptp::experiment::Training sgd(double lr, double momentum) {
    ptp::experiment::Training training;
    training.optimizer = ptp::optimizer::Sgd{.lr = lr, .momentum = momentum};
    return training;
}

at::Tensor filled(double value, std::int64_t size = 1) {
    return torch::full({size}, value, at::kDouble).requires_grad_();
}

// The parameters of one build of a component.
struct Build {
    Build(const ptp::experiment::Training& training, std::vector<NamedParameter> parameters_in)
        : parameters(std::move(parameters_in)),
          log("test", std::make_shared<spdlog::sinks::null_sink_mt>()),
          optimization({training, log, alone}, {{"", training.optimizer, parameters}}, 100) {}

    // An episode in which every element of every parameter has this gradient.
    void episode(std::uint64_t number, double gradient) {
        optimization.begin({number, 0, number});
        at::Tensor sum = torch::zeros({}, at::kDouble);
        for (const NamedParameter& parameter : parameters) {
            sum = sum + (parameter.tensor * gradient).sum();
        }
        const WeightedLoss loss = {sum, 1};
        optimization.backward({&loss, 1});
        if (optimization.is_step_due(false)) {
            optimization.step();
        }
    }

    [[nodiscard]] double value(std::size_t parameter) const {
        return parameters[parameter].tensor[0].item<double>();
    }
    [[nodiscard]] double average(std::size_t parameter) const {
        const WeightAverage::InPlace averages(optimization.average());
        return value(parameter);
    }

    std::vector<NamedParameter> parameters;
    spdlog::logger log;
    ptp::engine::Collective alone;
    Optimization optimization;
};

}  // namespace

TEST_CASE("take over: the optimizer's state follows a parameter by its name") {
    const ptp::experiment::Training training = sgd(0.5, 0.5);
    Build old(training, {{"net.a", filled(1)}, {"net.gone", filled(1)}, {"net.b", filled(1)}});
    old.episode(0, 4);  // momentum 4
    Build now(training, {{"net.b", filled(2)}, {"net.a", filled(3)}});
    now.optimization.rebind(old.optimization);
    now.episode(1, 1);  // momentum 4 * 0.5 + 1 = 3
    CHECK(now.value(0) == 2 - 0.5 * 3);
    CHECK(now.value(1) == 3 - 0.5 * 3);
}

TEST_CASE("take over: every optimizer continues with the same bits") {
    const auto check = []<class Options>(const Options& options) {
        if constexpr (!ptp::optimizer::kNeedsClosure<Options>) {
            CAPTURE(options.kName);
            ptp::experiment::Training training;
            training.optimizer = options;
            Build undisturbed(training, {{"net.a", filled(1)}});
            undisturbed.episode(0, 4);
            undisturbed.episode(1, -1);
            Build now(training, {{"net.a", filled(undisturbed.value(0))}});
            now.optimization.rebind(undisturbed.optimization);
            Build fresh(training, {{"net.a", filled(undisturbed.value(0))}});
            for (Build* build : {&undisturbed, &now, &fresh}) {
                build->episode(2, 3);
            }
            CHECK(now.value(0) == undisturbed.value(0));
            CHECK((fresh.value(0) == undisturbed.value(0)) == (options.kName == "SGD"));
        }
    };
    [&]<class... Types>(const std::variant<Types...>&) {
        (check(Types()), ...);
    }(ptp::optimizer::Any());
}

TEST_CASE("take over: a new parameter, or one with another shape, begins anew") {
    const ptp::experiment::Training training = sgd(0.5, 0.5);
    Build old(training, {{"net.a", filled(1)}, {"net.b", filled(1)}});
    old.episode(0, 4);
    Build now(training, {{"net.a", filled(3)}, {"net.b", filled(5, 2)}, {"net.c", filled(7)}});
    now.optimization.rebind(old.optimization);
    now.episode(1, 1);
    CHECK(now.value(0) == 3 - 0.5 * 3);
    CHECK(now.value(1) == 5 - 0.5);
    CHECK(now.value(2) == 7 - 0.5);
}

TEST_CASE("take over: a learning rate that was set stays") {
    const ptp::experiment::Training training = sgd(0.5, 0);
    Build old(training, {{"net.a", filled(1)}});
    old.optimization.set_learning_rate(0.25, "");
    old.episode(0, 1);
    Build now(training, {{"net.a", filled(1)}});
    now.optimization.rebind(old.optimization);
    now.episode(1, 1);
    CHECK(now.value(0) == 0.75);
}

TEST_CASE("take over: gradients that were added up count, but for those that nobody has") {
    ptp::experiment::Training training = sgd(1, 0);
    training.accumulate = 2;
    Build old(training, {{"net.a", filled(1)}, {"net.gone", filled(1)}});
    old.episode(0, 1);
    Build now(training, {{"net.new", filled(1)}, {"net.a", filled(1)}});
    now.optimization.rebind(old.optimization);
    now.episode(1, 3);
    CHECK(now.value(0) == 1 - 3.0 / 2);
    CHECK(now.value(1) == 1 - (1.0 + 3) / 2);
}

TEST_CASE("take over: averages continue; the average of a new parameter begins as its weight") {
    ptp::experiment::Training training = sgd(1, 0);
    training.weight_average = ptp::experiment::WeightAverage{.decay = 0.5};
    Build old(training, {{"net.a", filled(5)}, {"net.gone", filled(1)}});
    old.episode(0, 1);  // 4, the first average
    Build now(training, {{"net.new", filled(8)}, {"net.a", filled(4)}});
    now.optimization.rebind(old.optimization);
    CHECK(now.average(0) == 8);
    CHECK(now.average(1) == 4);
    now.episode(1, 2);  // 6 and 2
    CHECK(now.average(0) == 7);
    CHECK(now.average(1) == 3);
}

TEST_CASE("take over: LBFGS continues with the same parameters, and begins anew with others") {
    ptp::experiment::Training training;
    training.optimizer = ptp::optimizer::Lbfgs{.lr = 0.1};
    const auto step = [](Build& build, std::uint64_t number) {
        build.optimization.begin({number, 0, number});
        build.optimization.step_with_closure([&build] {
            at::Tensor loss = torch::zeros({}, at::kDouble);
            for (const NamedParameter& parameter : build.parameters) {
                loss = loss + parameter.tensor.pow(4).sum();
            }
            loss.backward();
            return loss;
        });
    };
    Build undisturbed(training, {{"net.a", filled(1)}});
    step(undisturbed, 0);
    const double middle = undisturbed.value(0);
    Build same(training, {{"net.a", filled(middle)}});
    same.optimization.rebind(undisturbed.optimization);
    Build wider(training, {{"net.a", filled(middle)}, {"net.b", filled(middle)}});
    wider.optimization.rebind(undisturbed.optimization);
    Build fresh(training, {{"net.a", filled(middle)}, {"net.b", filled(middle)}});
    step(undisturbed, 1);
    step(same, 1);
    step(wider, 1);
    step(fresh, 1);
    CHECK(same.value(0) == undisturbed.value(0));
    CHECK(wider.value(0) == fresh.value(0));
    CHECK(wider.value(0) != undisturbed.value(0));
}

}  // namespace rebind_test
