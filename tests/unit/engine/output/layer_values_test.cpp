// The values of layers are those of a calculation by hand, and come without the help of a plugin.

#include "engine/output/layer_values.hpp"

#include "base/output_file.hpp"
#include "support/engine_plan.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"
#include "unit/engine/output/one_weight.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace layer_values_test {

using namespace ptp::engine;
using ptp::plugin::Element;
using ptp::plugin::Kind;

namespace {

using ptp::test::lines_of;
using ptp::test::only_weight;
using ptp::test::weight;

// A task, the model `net` with one weight, and a loss after it.
struct Net {
    Net() {
        plan.add_stream("inputs", Element::kFloating, {-1});
        plan.add_stream("scores", Element::kFloating, {-1});
        plan.add_stream("loss", Element::kFloating, {});
        plan.add_task(ptp::test::idle_component(), {{"inputs", 0}});
        ptp_component_info info = ptp::test::idle_component();
        info.extension = only_weight;
        weight = at::tensor({3.0F, -4.0F}).requires_grad_();
        plan.add_node("net", Kind::kModel, info, {{"inputs", 0}}, {{"scores", 1}});
        plan.add_node("mse", Kind::kLoss, ptp::test::idle_component(), {{"scores", 1}},
                      {{"loss", 2}});
        components = plan.create();
    }
    [[nodiscard]] ptp::engine::RunInfo facts() const {
        return {"x", folder.path(), 1, "cpu", "", plan.plan, columns};
    }
    [[nodiscard]] std::string table() const { return folder.read("layers.csv"); }

    ptp::test::TempFolder folder;
    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
    std::vector<ptp::engine::Column> columns;
};

void check(const TensorSummary& summary, const TensorSummary& expected) {
    CHECK(summary.mean == doctest::Approx(expected.mean));
    CHECK(summary.deviation == doctest::Approx(expected.deviation));
    CHECK(summary.zeros == doctest::Approx(expected.zeros));
    CHECK(summary.norm == doctest::Approx(expected.norm));
}

// Checks the numbers of a row after its first cells.
void check_row(const std::string& row, const std::string& place,
               const std::vector<double>& numbers) {
    CAPTURE(row);
    REQUIRE(row.starts_with(place + ","));
    std::istringstream in(row.substr(place.size() + 1));
    for (const double number : numbers) {
        std::string cell;
        std::getline(in, cell, ',');
        CHECK((cell == "nan") == std::isnan(number));
        CHECK((std::isnan(number) || std::stod(cell) == doctest::Approx(number).epsilon(1e-6)));
    }
    CHECK(in.eof());
}

constexpr const char* kHeader =
    "kind,name,episode,epoch,mean,deviation,zeros,norm,gradient_norm,update_ratio\n";

}  // namespace

TEST_CASE("layer values: a summary is that of a calculation by hand") {
    check(ptp::engine::summary_of(at::tensor({1.0F, 0.0F, -2.0F, 0.0F})),
          {.mean = -0.25,
           .deviation = std::sqrt((1.5625 + 3.0625 + 2 * 0.0625) / 3),
           .zeros = 0.5,
           .norm = std::sqrt(5.0)});
    check(ptp::engine::summary_of(at::tensor({2.0F}).to(at::kHalf)),
          {.mean = 2, .deviation = 0, .zeros = 0, .norm = 2});
    CHECK(std::isnan(ptp::engine::summary_of(at::empty({0})).mean));
}

TEST_CASE("layer values: a summary has the digits of double, however far from 0 the numbers are") {
    // 40 numbers in a matrix whose columns are not beside each other: 1e6, 1e6 + 1, ..., 1e6 + 39.
    const at::Tensor numbers = (at::arange(40, at::kFloat) + 1e6).reshape({8, 5}).t();
    double squares = 0;
    for (int i = 0; i < 40; ++i) {
        squares += (1e6 + i) * (1e6 + i);
    }
    for (const at::Tensor& same : {numbers, numbers.to(at::kDouble)}) {
        const TensorSummary summary = ptp::engine::summary_of(same);
        CHECK(summary.mean == doctest::Approx(1e6 + 19.5).epsilon(1e-14));
        CHECK(summary.deviation == doctest::Approx(std::sqrt(40 * 41 / 12.0)).epsilon(1e-12));
        CHECK(summary.norm == doctest::Approx(std::sqrt(squares)).epsilon(1e-14));
        CHECK(summary.zeros == 0);
    }
}

TEST_CASE("layer values: of many numbers, of any size, a summary has at least six digits") {
    const at::Tensor numbers = at::arange(100'003, at::kDouble).mul(0.7).sin().relu().add(0.01);
    for (const double scale : {1.0, 1e-25, 1e25, -1e-40}) {  // squares of floats are 0 or infinite
        CAPTURE(scale);
        const at::Tensor scaled = (numbers * scale).to(at::kFloat);
        const at::Tensor exact = scaled.to(at::kDouble);
        const auto approx = [](const at::Tensor& number) {
            return doctest::Approx(number.item<double>()).epsilon(1e-6).scale(0);
        };
        const TensorSummary summary = ptp::engine::summary_of(scaled);
        CHECK(summary.mean == approx(exact.mean()));
        CHECK(summary.deviation == approx(exact.std()));
        CHECK(summary.norm == approx(exact.norm()));
        CHECK(summary.zeros == 0);
        CHECK(ptp::engine::norm_of_tensor(scaled) == approx(exact.norm()));
    }
}

TEST_CASE("layer values: a summary keeps its digits if the first numbers are unlike the rest") {
    // 64 numbers x, such as a row of padding, then n numbers y: the squares around the mean are
    // 64 n / (64 + n) (x - y)^2.
    for (const double first : {0.0, 1000.0}) {
        for (const double rest : {0.1, 0.7, -3.0}) {
            for (const std::int64_t count : {1000, 1 << 20}) {
                CAPTURE(first);
                CAPTURE(rest);
                CAPTURE(count);
                const at::Tensor numbers =
                    at::cat({at::full({64}, first), at::full({count}, rest)}).to(at::kFloat);
                const double y = static_cast<float>(rest);
                const auto n = static_cast<double>(count);
                const TensorSummary summary = ptp::engine::summary_of(numbers);
                CHECK(summary.mean == doctest::Approx((64 * first + n * y) / (64 + n)));
                CHECK(summary.deviation ==
                      doctest::Approx(
                          std::sqrt(64 * n / (64 + n) * (first - y) * (first - y) / (63 + n)))
                          .epsilon(1e-9));
                CHECK(summary.norm ==
                      doctest::Approx(std::sqrt(64 * first * first + n * y * y)).epsilon(1e-6));
            }
        }
    }
}

TEST_CASE("layer values: a number that is not finite shows wherever it is in a long tensor") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const std::int64_t place : {3, 4000}) {  // among those that the shift is taken of, or not
        CAPTURE(place);
        at::Tensor numbers = at::ones({5000}, at::kFloat);
        numbers.slice(0, 4500).zero_();
        numbers[place] = std::nanf("");
        const TensorSummary unknown = ptp::engine::summary_of(numbers);
        CHECK(std::isnan(unknown.mean));
        CHECK(std::isnan(unknown.deviation));
        CHECK(std::isnan(unknown.norm));
        CHECK(unknown.zeros == 0.1);
        numbers[place] = -kInfinity;
        const TensorSummary infinite = ptp::engine::summary_of(numbers);
        CHECK(infinite.mean == -kInfinity);
        CHECK(std::isnan(infinite.deviation));
        CHECK(infinite.norm == kInfinity);
        CHECK(infinite.zeros == 0.1);
    }
}

TEST_CASE("layer values: a number that is not finite shows in its summary") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const TensorSummary infinite = ptp::engine::summary_of(at::tensor({-1.0F, 0.0F, kInfinity}));
    CHECK(infinite.mean == kInfinity);
    CHECK(infinite.norm == kInfinity);
    CHECK(std::isnan(infinite.deviation));
    CHECK(infinite.zeros == doctest::Approx(1.0 / 3));
    CHECK(ptp::engine::norm_of_tensor(at::tensor({-kInfinity, 1.0F})) == kInfinity);
    CHECK(std::isnan(ptp::engine::summary_of(at::tensor({1.0F, std::nanf("")})).norm));
}

TEST_CASE("layer values: functional, re-used and in-place operations are seen with gradients") {
    Net net;
    LayerTap tap(net.plan.plan, true);
    Frame frame(net.plan.plan);
    const auto& model = *net.components.nodes[0];
    tap.enter(model);
    at::Tensor x = at::mul(weight, at::tensor({1.0F, 2.0F}));  // [3, -8]
    x = at::relu(x).view({2, 1}).view({2});                    // [3, 0], views are not operations
    at::Tensor same = x.add(-5);                               // [-2, -5]
    same.relu_();                                              // [0, 0], in place
    const at::Tensor constant = at::ones({7}).mul(2);          // no gradient passes
    frame[1].tensor = at::relu(x.sub(same)).mul(2);            // [3, 0], then [6, 0]
    tap.leave(model, frame);
    frame[2].tensor = frame[1].tensor.sum();
    tap.enter(*net.components.nodes[1]);
    tap.leave(*net.components.nodes[1], frame);
    frame[2].tensor.backward();
    const auto& rows = tap.rows();
    std::vector<std::string> names;
    for (const LayerTap::Row& row : rows) {
        names.push_back(row.kind + " " + row.name);
    }
    CHECK(names == std::vector<std::string>{"operation net.1.mul", "operation net.2.relu",
                                            "operation net.3.add", "operation net.4.relu_",
                                            "operation net.5.sub", "operation net.6.relu",
                                            "operation net.7.mul", "stream scores"});
    check(rows[0].values,
          {.mean = -2.5, .deviation = std::sqrt(60.5), .zeros = 0, .norm = std::sqrt(73.0)});
    check(rows[1].values, {.mean = 1.5, .deviation = std::sqrt(4.5), .zeros = 0.5, .norm = 3});
    check(rows[2].values,
          {.mean = -3.5, .deviation = std::sqrt(4.5), .zeros = 0, .norm = std::sqrt(29.0)});
    check(rows[3].values, {.mean = 0, .deviation = 0, .zeros = 1, .norm = 0});
    // The gradient is 1 at the scores, 2 before their factor, and passes the ReLUs where these are
    // above 0: nothing comes through the second.
    const double expected[] = {
        2, 2, 0, std::sqrt(4.0), 2, std::sqrt(8.0), std::sqrt(2.0), std::sqrt(2.0)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CAPTURE(rows[i].name);
        CHECK(rows[i].gradient_norm == doctest::Approx(expected[i]));
    }
}

TEST_CASE("layer values: without operations the streams remain, and libtorch is not watched") {
    Net net;
    LayerTap tap(net.plan.plan, false);
    Frame frame(net.plan.plan);
    tap.enter(*net.components.nodes[0]);
    frame[1].tensor = at::relu(weight);
    tap.leave(*net.components.nodes[0], frame);
    REQUIRE(tap.rows().size() == 1);
    CHECK(tap.rows()[0].name == "scores");
    CHECK(std::isnan(tap.rows()[0].gradient_norm));
}

TEST_CASE("layer values: each n-th episode has rows, a parameter at the next step") {
    Net net;
    LayerValues sink(net.folder.path() / "layers.csv",
                     {.every_episodes = 2, .has_operations = true});
    sink.begin(net.facts());
    Frame frame(net.plan.plan);
    for (std::uint64_t episode = 0; episode < 3; ++episode) {
        auto* const observer = sink.observer({episode, 4}, net.components);
        CHECK((observer != nullptr) == (episode != 1));
        if (observer != nullptr) {
            observer->enter(*net.components.nodes[0]);
            frame[1].tensor = at::relu(weight);
            observer->leave(*net.components.nodes[0], frame);
        }
        if (episode == 1) {  // the first step: before, gradients were accumulated elsewhere
            weight.mutable_grad() = at::tensor({0.6F, -0.8F});
            const c10::AutoGradMode without_gradients(false);
            weight.add_(at::tensor({0.3F, 0.4F}));
        }
        sink.learned({episode, 4}, net.components);
        weight.mutable_grad() = at::Tensor();
    }
    sink.sync();
    const std::vector<std::string> rows = lines_of(net.table());
    REQUIRE(rows.size() == 6);
    CHECK(rows[0] + "\n" == kHeader);
    const double deviation = std::sqrt(4.5);
    const double nan = std::nan("");
    check_row(rows[1], "operation,net.1.relu,0,5", {1.5, deviation, 0.5, 3, nan, nan});
    check_row(rows[2], "stream,scores,0,5", {1.5, deviation, 0.5, 3, nan, nan});
    // [3.3, -3.6], whose step was [0.3, 0.4] from [3, -4]
    check_row(rows[3], "parameter,net.weight,1,5",
              {-0.15, std::sqrt(2 * 3.45 * 3.45), 0, std::sqrt(3.3 * 3.3 + 3.6 * 3.6), 1, 0.1});
    check_row(rows[4], "operation,net.1.relu,2,5",
              {1.65, std::sqrt(2 * 1.65 * 1.65), 0.5, 3.3, nan, nan});
    CHECK(rows[5].starts_with("stream,scores,2,5,"));
}

}  // namespace layer_values_test
