// The example that CONTRIBUTING.md names: an optimizer that is one file, in a list of its own.

#include "base/toml_reader.hpp"
#include "engine/optimizer/optimizer_of.hpp"
#include "schema/one_of.hpp"
#include "signum.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

#include <optional>
#include <string>
#include <variant>

namespace added_optimizer_test {

using namespace ptp;
using optimizer::Signum;
using Any = std::variant<optimizer::Sgd, Signum>;

namespace {

std::optional<Any> read(const std::string& table, Diagnostics& problems) {
    const auto tree = read_toml("optimizer = " + table, "x.toml", problems);
    const schema::ReadOptions options;
    return schema::read_one_of<Any>({*tree->find("optimizer"), "optimizer", options, problems}, "");
}

engine::OptimizerOf<Signum> made_of(const Signum& options, const at::Tensor& weight) {
    return engine::OptimizerOf<Signum>({{"", options, {{"net.w", weight}}}});
}

void step(engine::Optimizer& optimizer, const at::Tensor& weight, const std::vector<double>& g) {
    weight.mutable_grad() = torch::tensor(g, at::kDouble);
    optimizer.step();
}

struct WithProperties {
    static constexpr bool kNeedsClosure = false;
    static constexpr bool kTakesSparseGradients = true;
    static constexpr bool kUsesRateOnce = false;
};

}  // namespace

TEST_CASE("added optimizer: a property that it declares as false is false") {
    CHECK_FALSE(optimizer::kNeedsClosure<WithProperties>);
    CHECK(optimizer::kTakesSparseGradients<WithProperties>);
    CHECK_FALSE(optimizer::kUsesRateOnce<WithProperties>);
    CHECK_FALSE(optimizer::kTakesSparseGradients<Signum>);
}

TEST_CASE("added optimizer: its keys are read, and their mistakes reported") {
    Diagnostics problems;
    const auto read_one = read("{ type = 'Signum', lr = 0.5 }", problems);
    REQUIRE_MESSAGE(read_one, problems.text());
    CHECK(std::get<Signum>(*read_one).lr == 0.5);
    CHECK(std::get<Signum>(*read_one).momentum == 0.9);
    read("{ type = 'Signum', momentum = 1, nesterov = true }", problems);
    CHECK(problems.text() ==
          "x.toml:1:43: optimizer.momentum = 1: must be in [0, 1)\n"
          "x.toml:1:46: optimizer.nesterov: Signum has no option 'nesterov' (SGD has)");
}

TEST_CASE("added optimizer: it steps by its formula, and continues when restored") {
    const at::Tensor weight = torch::tensor({1.0, 2.0}, at::kDouble).requires_grad_();
    auto optimizer = made_of({.lr = 0.25, .momentum = 0.5}, weight);
    step(optimizer, weight, {4, -8});  // the mean is 2 and -4
    CHECK(torch::equal(weight, torch::tensor({0.75, 2.25}, at::kDouble)));
    const at::Tensor copy = weight.detach().clone().requires_grad_();
    auto restored = made_of({}, copy);
    restored.restore(optimizer.save());
    for (const auto& [one, tensor] :
         {std::pair<engine::Optimizer*, at::Tensor>(&optimizer, weight), {&restored, copy}}) {
        step(*one, tensor, {-1, 6});  // 0.5 and 1
        CHECK(torch::equal(tensor, torch::tensor({0.5, 2.0}, at::kDouble)));
    }
}

}  // namespace added_optimizer_test
