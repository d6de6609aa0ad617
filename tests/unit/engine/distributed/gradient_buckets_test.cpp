#include "engine/distributed/gradient_buckets.hpp"

#include "engine/distributed/share.hpp"
#include "unit/engine/distributed/ranks.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace gradient_buckets_test {

using namespace ptp::engine;
using ptp::test::run_ranks;

namespace {

// Weights and a batch, the same each time.
struct Net {
    Net() {
        const auto numbers = [](std::int64_t rows, std::int64_t columns, double step) {
            return at::arange(rows * columns, at::kDouble).mul(step).sin().view({rows, columns});
        };
        inputs = numbers(7, 4, 0.7);
        targets = numbers(7, 3, 0.3);
        for (const auto& [rows, columns] : {std::pair{4, 5}, std::pair{5, 5}, std::pair{5, 3}}) {
            weights.push_back(numbers(rows, columns, 0.11).set_requires_grad(true));
        }
        unused = numbers(2, 2, 1).set_requires_grad(true);
        rare = numbers(1, 3, 1).set_requires_grad(true);
    }

    [[nodiscard]] std::vector<at::Tensor> parameters() const {
        return {weights[0], unused, weights[1], rare, weights[2]};
    }

    // The sum of squares of these samples, divided by the number of all; with `rare` where the last
    // sample is among them.
    [[nodiscard]] at::Tensor loss(std::int64_t first, std::int64_t count,
                                  bool has_rare = true) const {
        at::Tensor x = inputs.narrow(0, first, count);
        x = x.matmul(weights[0]).tanh().matmul(weights[1]).tanh().matmul(weights[2]);
        if (has_rare && first + count == inputs.size(0)) {
            x = x.add(rare);
        }
        return x.sub(targets.narrow(0, first, count)).square().sum().div(7);
    }

    at::Tensor inputs;
    at::Tensor targets;
    std::vector<at::Tensor> weights;
    at::Tensor unused;  // by no process
    at::Tensor rare;    // used by the last process
};

double difference(const at::Tensor& left, const at::Tensor& right) {
    return left.sub(right).abs().max().item<double>() / right.abs().max().item<double>();
}

// The loss of the whole batch as a single process computes it, for a share that has the last sample
// `rare` belongs to that share alone.
std::vector<at::Tensor> gradients_alone(std::uint64_t ranks) {
    const Net net;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const auto share = share_of(7, rank, ranks);
        net.loss(static_cast<std::int64_t>(share.first), static_cast<std::int64_t>(share.count))
            .backward();
    }
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : net.parameters()) {
        gradients.push_back(parameter.grad());
    }
    return gradients;
}

}  // namespace

TEST_CASE("gradient buckets: each process has the sum, in several buckets and in several steps") {
    for (const std::uint64_t ranks : {2, 3}) {
        CAPTURE(ranks);
        const std::vector<at::Tensor> expected = gradients_alone(ranks);
        std::atomic<int> wrong = 0;
        std::atomic<std::size_t> bucket_count = 0;
        run_ranks(static_cast<std::int64_t>(ranks), [&](Group& group) {
            const Net net;
            GradientBuckets buckets(net.parameters(), group, {.first_bytes = 128, .bytes = 256});
            bucket_count = buckets.bucket_count();
            const auto share = share_of(7, group.rank(), ranks);
            for (int step = 0; step < 3; ++step) {
                for (at::Tensor parameter : net.parameters()) {
                    parameter.mutable_grad() = at::Tensor();
                }
                const at::Tensor loss = net.loss(static_cast<std::int64_t>(share.first),
                                                 static_cast<std::int64_t>(share.count));
                if (step < 2) {
                    buckets.begin();
                }
                loss.backward();
                buckets.finish();
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    const at::Tensor found = net.parameters()[i].grad();
                    const bool is_right =
                        found.defined() == expected[i].defined() &&
                        (!found.defined() || difference(found, expected[i]) < 1e-14);
                    wrong += is_right ? 0 : 1;
                }
            }
        });
        CHECK(wrong == 0);
        CHECK(bucket_count > 2);
        CHECK(!expected[1].defined());
    }
}

TEST_CASE("gradient buckets: compressed, they have the sum rounded to bfloat16, in each process") {
    std::atomic<int> wrong = 0;
    run_ranks(3, [&](Group& group) {
        at::Tensor weight = at::ones({5}).set_requires_grad(true);
        GradientBuckets buckets({weight}, group, {.is_rounded = true});
        // 1 + 2^-9 is 1 in bfloat16; so the parts are 1, 3 and 4.5.
        const auto rank = static_cast<double>(group.rank());
        weight.mul(group.is_first() ? 1 + 0.001953125 : 1.5 * (rank + 1)).sum().backward();
        buckets.finish();
        wrong += weight.grad().equal(at::full({5}, 1 + 3.0F + 4.5F)) ? 0 : 1;
    });
    CHECK(wrong == 0);
}

TEST_CASE("gradient buckets: in float64 100 steps of 1, 2 and 4 processes agree to 1e-12") {
    const auto train = [](Group* group) {
        const Net net;
        const auto share =
            share_of(7, group == nullptr ? 0 : group->rank(), group == nullptr ? 1 : group->size());
        std::optional<GradientBuckets> buckets;
        if (group != nullptr) {
            buckets.emplace(net.weights, *group, GradientBuckets::Limits{128, 256});
        }
        std::vector<double> losses;
        for (int step = 0; step < 100; ++step) {
            const at::Tensor loss = net.loss(static_cast<std::int64_t>(share.first),
                                             static_cast<std::int64_t>(share.count), false);
            const at::Tensor whole = loss.detach().clone();
            if (buckets) {
                buckets->begin();
                group->sum(whole, "the loss");
            }
            loss.backward();
            if (buckets) {
                buckets->finish();
            }
            losses.push_back(whole.item<double>());
            const at::NoGradGuard no_gradients;
            for (at::Tensor weight : net.weights) {
                weight.sub_(weight.grad(), 0.05);
                weight.mutable_grad() = at::Tensor();
            }
        }
        return losses;
    };
    const std::vector<double> alone = train(nullptr);
    CHECK(alone.back() < 0.5 * alone.front());
    for (const std::int64_t ranks : {2, 4}) {
        CAPTURE(ranks);
        std::atomic<int> wrong = 0;
        run_ranks(ranks, [&](Group& group) {
            const std::vector<double> losses = train(&group);
            for (std::size_t i = 0; i < losses.size(); ++i) {
                wrong += std::abs(losses[i] - alone[i]) < 1e-12 * alone[i] ? 0 : 1;
            }
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("gradient buckets: a process without a backward pass takes part, and gets the sum") {
    std::atomic<int> wrong = 0;
    run_ranks(2, [&](Group& group) {
        at::Tensor weight = at::ones({3}).set_requires_grad(true);
        GradientBuckets buckets({weight}, group);
        buckets.begin();
        if (group.is_first()) {
            weight.mul(2).sum().backward();
        }
        buckets.finish();
        wrong += weight.grad().equal(at::full({3}, 2.0F)) ? 0 : 1;
    });
    CHECK(wrong == 0);
}

}  // namespace gradient_buckets_test
