#include "engine/optimizer/gradient_sums.hpp"

#include "base/error.hpp"

#include <ATen/ops/randn.h>
#include <doctest/doctest.h>
#include <torch/types.h>

namespace gradient_sums_test {

using namespace ptp;
using namespace ptp::engine;

namespace {

// Two parameters; the second is used by half of the losses only.
struct Net {
    Net() {
        at::manual_seed(5);
        weight = torch::randn({3}, at::kDouble).requires_grad_();
        extra = torch::randn({3}, at::kDouble).requires_grad_();
    }
    [[nodiscard]] std::vector<NamedParameter> parameters() const {
        return {{"net.weight", weight}, {"net.extra", extra}};
    }
    [[nodiscard]] at::Tensor first_loss(const at::Tensor& rows) const {  // [B, 3] -> []
        return rows.matmul(weight).square().mean();
    }
    [[nodiscard]] at::Tensor second_loss(const at::Tensor& rows) const {
        return (rows.matmul(weight) * rows.matmul(extra)).mean();
    }

    at::Tensor weight;
    at::Tensor extra;
};

void check_near(const at::Tensor& left, const at::Tensor& right) {
    CHECK(torch::allclose(left, right, 1e-12, 1e-14));
}

}  // namespace

TEST_CASE("gradient sums: several batches are one large one, a short last one too") {
    ptp::engine::Collective alone;
    const Net net;
    const at::Tensor rows = torch::randn({10, 3}, at::kDouble);
    net.first_loss(rows).backward();
    const at::Tensor wanted = net.weight.grad().clone();
    net.weight.mutable_grad().reset();

    GradientSums sums(net.parameters(), alone);
    for (const auto& [begin, end] : {std::pair{0, 4}, {4, 8}, {8, 10}}) {
        const WeightedLoss loss = {net.first_loss(rows.slice(0, begin, end)),
                                   static_cast<double>(end - begin)};
        sums.add({&loss, 1});
        CHECK_FALSE(net.weight.grad().defined());
    }
    CHECK(sums.batch_count() == 3);
    sums.take();
    check_near(net.weight.grad(), wanted);
    CHECK_FALSE(net.extra.grad().defined());
    CHECK(sums.batch_count() == 0);
}

TEST_CASE("gradient sums: losses that weigh different things are normalized apart") {
    ptp::engine::Collective alone;
    const Net net;
    const at::Tensor rows = torch::randn({10, 3}, at::kDouble);
    // The second loss counts only some rows: 1 of the first six, 3 of the other four.
    const at::Tensor some = torch::tensor({2, 6, 7, 9});
    (net.first_loss(rows) + 0.5 * net.second_loss(rows.index_select(0, some))).backward();
    const at::Tensor wanted = net.weight.grad().clone();
    const at::Tensor wanted_extra = net.extra.grad().clone();
    net.weight.mutable_grad().reset();
    net.extra.mutable_grad().reset();

    GradientSums sums(net.parameters(), alone);
    const auto add = [&](std::int64_t begin, std::int64_t end, const at::Tensor& counted) {
        const WeightedLoss losses[] = {
            {net.first_loss(rows.slice(0, begin, end)), static_cast<double>(end - begin)},
            {0.5 * net.second_loss(rows.index_select(0, counted)),
             static_cast<double>(counted.numel())}};
        sums.add(losses);
    };
    add(0, 6, some.slice(0, 0, 1));
    add(6, 10, some.slice(0, 1, 4));
    sums.take();
    check_near(net.weight.grad(), wanted);
    check_near(net.extra.grad(), wanted_extra);
}

TEST_CASE("gradient sums: two losses of one graph are differentiated both") {
    ptp::engine::Collective alone;
    const Net net;
    const at::Tensor product = net.weight * net.extra;
    const WeightedLoss losses[] = {{product.mean(), 2}, {product.square().mean(), 3}};
    GradientSums sums(net.parameters(), alone);
    sums.add(losses);
    sums.take();
    const at::Tensor got = net.weight.grad().clone();
    net.weight.mutable_grad().reset();
    const at::Tensor again = net.weight * net.extra;
    (again.mean() + again.square().mean()).backward();
    check_near(got, net.weight.grad());
}

TEST_CASE("gradient sums: a batch in which a loss counts nothing adds nothing") {
    ptp::engine::Collective alone;
    const Net net;
    const at::Tensor rows = torch::randn({4, 3}, at::kDouble);
    const WeightedLoss nothing = {net.first_loss(rows) * 0, 0};
    const WeightedLoss constant = {at::zeros({}, at::kDouble), 0};
    const WeightedLoss absent = {{}, 0};  // of a process without samples
    const WeightedLoss loss = {net.first_loss(rows), 4};
    GradientSums sums(net.parameters(), alone);
    sums.add({&nothing, 1});
    sums.add({&constant, 1});
    sums.add({&absent, 1});
    sums.add({&loss, 1});
    sums.take();
    const at::Tensor got = net.weight.grad().clone();
    net.weight.mutable_grad().reset();
    net.first_loss(rows).backward();
    check_near(got, net.weight.grad());
}

TEST_CASE("gradient sums: a loss whose weight is 0 is its sum, in a part and in the whole") {
    ptp::engine::Collective alone;
    const Net net;
    const at::Tensor rows = torch::randn({4, 3}, at::kDouble);
    const at::Tensor spread = net.weight.square().sum();  // as label smoothing spreads a target
    const WeightedLoss part = {spread * 1, 0};
    const WeightedLoss loss = {net.first_loss(rows), 4};
    GradientSums sums(net.parameters(), alone);
    sums.add({&part, 1});
    sums.add({&loss, 1});
    sums.take();
    const at::Tensor with_weight = net.weight.grad().clone();
    net.weight.mutable_grad().reset();
    (net.first_loss(rows) + net.weight.square().sum() / 4).backward();
    check_near(with_weight, net.weight.grad());

    const WeightedLoss again = {net.weight.square().sum(), 0};
    sums.add({&again, 1});
    sums.take();
    check_near(net.weight.grad(), 2 * net.weight.detach());
}

TEST_CASE("gradient sums: saved in the middle they end with the same bits") {
    ptp::engine::Collective alone;
    const Net net;
    const at::Tensor rows = torch::randn({6, 3}, at::kDouble);
    const auto add = [&](GradientSums& sums, std::int64_t begin) {
        const at::Tensor part = rows.slice(0, begin, begin + 2);
        const WeightedLoss losses[] = {{net.first_loss(part), 2}, {net.second_loss(part), 1}};
        sums.add(losses);
    };
    GradientSums whole(net.parameters(), alone);
    GradientSums restored(net.parameters(), alone);
    add(whole, 0);
    add(whole, 2);
    restored.restore(whole.save());
    CHECK(restored.batch_count() == 2);
    add(whole, 4);
    whole.take();
    const at::Tensor wanted = net.weight.grad().clone();
    add(restored, 4);
    restored.take();
    CHECK(torch::equal(net.weight.grad(), wanted));
}

TEST_CASE("gradient sums: what was saved for other parameters is refused") {
    ptp::engine::Collective alone;
    const Net net;
    GradientSums sums(net.parameters(), alone);
    const WeightedLoss loss = {net.first_loss(torch::ones({2, 3}, at::kDouble)), 2};
    sums.add({&loss, 1});
    GradientSums other({{"net.weight", torch::ones({4}, at::kDouble)}}, alone);
    GradientSums third({{"net.bias", torch::ones({3}, at::kDouble)}}, alone);
    CHECK_THROWS_WITH_AS(other.restore(sums.save()),
                         "the saved sum of gradients does not fit what is trained:\n"
                         "  net.weight: is saved as Double [3], must be Double [4]",
                         RunError);
    CHECK_THROWS_WITH_AS(third.restore(sums.save()),
                         "the saved sum of gradients does not fit what is trained:\n"
                         "  net.weight: is not trained",
                         RunError);
    CHECK(other.batch_count() == 0);
}

}  // namespace gradient_sums_test
