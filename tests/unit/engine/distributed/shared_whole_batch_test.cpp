// Rows of all processes: their values, the gradients of the own ones, and what is refused.

#include "engine/distributed/shared_whole_batch.hpp"

#include "base/error.hpp"
#include "unit/engine/distributed/ranks.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace shared_whole_batch_test {

using namespace ptp::engine;
using ptp::test::run_ranks;

namespace {

constexpr std::int64_t kSamples = 5;

at::Tensor embeddings(at::ScalarType type) {
    return at::arange(kSamples * 3, at::kDouble).mul(0.7).sin().view({kSamples, 3}).to(type);
}

// The mean, over the own samples, of how badly each finds itself among all; times what the host
// weighs it by.
at::Tensor loss_of(const at::Tensor& own, const WholeBatch::Rows& all) {
    const auto first = static_cast<std::int64_t>(all.first);
    const at::Tensor logits = own.matmul(all.rows.t());
    const at::Tensor each =
        logits.logsumexp(1) - logits.slice(1, first, first + own.size(0)).diagonal();
    return each.sum() / kSamples;
}

struct Found {
    double loss = 0;
    at::Tensor gradient;
};

// Samples [first, first + count), in one process or in the passes of one of several.
Found train(at::ScalarType type, BatchShare share, SharedWholeBatch* batch, PassSums* sums,
            bool all_take_part) {
    const auto count = static_cast<std::int64_t>(share.count);
    at::Tensor own = embeddings(type)
                         .narrow(0, static_cast<std::int64_t>(share.first), count)
                         .clone()
                         .set_requires_grad(true);
    at::Tensor loss = at::zeros({}, type);
    const auto forward = [&] {
        if (count > 0) {
            loss = loss_of(
                own, batch == nullptr ? WholeBatch::Rows{own, 0} : batch->gather(own, "loss"));
        }
    };
    const auto backward = [&] {
        if (count > 0) {
            loss.backward();
        }
    };
    if (sums == nullptr) {
        forward();
        backward();
    } else {
        batch->begin(share);
        sums->run(count > 0, all_take_part, forward);
        sums->run(count > 0, all_take_part, backward);
    }
    return {loss.item<double>(), count > 0 ? own.grad() : at::zeros_like(own)};
}

// The largest difference between what processes with these numbers of samples find, and one with
// all of them.
double difference(at::ScalarType type, const std::vector<std::uint64_t>& counts) {
    const Found whole = train(type, {kSamples, 0, kSamples, true}, nullptr, nullptr, true);
    const bool all_take_part = std::ranges::find(counts, 0) == counts.end();
    std::vector<Found> parts(counts.size());
    run_ranks(static_cast<std::int64_t>(counts.size()), [&](Group& group) {
        PassSums sums(group);
        SharedWholeBatch batch(sums);
        batch.know({"loss"});
        BatchShare share{kSamples, 0, counts[group.rank()], true};
        for (std::uint64_t rank = 0; rank < group.rank(); ++rank) {
            share.first += counts[rank];
        }
        parts[group.rank()] = train(type, share, &batch, &sums, all_take_part);
    });
    double loss = 0;
    std::vector<at::Tensor> gradients;
    for (const Found& part : parts) {
        loss += part.loss;
        gradients.push_back(part.gradient);
    }
    return std::max(std::abs(loss - whole.loss),
                    (at::cat(gradients) - whole.gradient).abs().max().item<double>());
}

// Returns the errors of two processes that do this with their own batches of four samples.
template <class Work>
std::vector<std::string> errors_of(Work work) {
    std::vector<std::string> errors(2);
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SharedWholeBatch batch(sums);
        batch.know({"first", "second"});
        batch.begin({4, 2 * group.rank(), 2, true});
        try {
            work(group, sums, batch);
            errors[group.rank()] = "none";
        } catch (const ptp::RunError& error) {
            errors[group.rank()] = error.what();
        }
    });
    return errors;
}

}  // namespace

TEST_CASE("whole batch: processes have the loss and the gradients of one with the whole batch") {
    CHECK(difference(at::kDouble, {3, 2}) < 1e-12);
    CHECK(difference(at::kDouble, {2, 2, 1}) < 1e-12);
    CHECK(difference(at::kFloat, {2, 1, 1, 1}) < 1e-6);
}

TEST_CASE("whole batch: a process without samples helps the others with their sums") {
    CHECK(difference(at::kDouble, {3, 2, 0}) < 1e-12);
    CHECK(difference(at::kDouble, {0, 5}) < 1e-12);
}

TEST_CASE("whole batch: rows of any type and shape come in the order of the samples") {
    std::atomic<int> wrong = 0;
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SharedWholeBatch batch(sums);
        batch.know({"loss"});
        const auto first = static_cast<std::int64_t>(group.rank());
        const BatchShare share{3, group.rank(), group.is_first() ? 1U : 2U, true};
        const std::int64_t count = group.is_first() ? 1 : 2;
        batch.begin(share);
        const at::Tensor numbers = at::arange(12, at::kLong).view({3, 2, 2}).add(1'000'000'007);
        const at::Tensor masks = numbers.remainder(3).eq(0);
        sums.run(true, true, [&] {
            for (const at::Tensor& all : {numbers, masks}) {
                const WholeBatch::Rows found = batch.gather(all.narrow(0, first, count), "loss");
                wrong += found.rows.equal(all) && found.first == group.rank() ? 0 : 1;
            }
        });
    });
    CHECK(wrong == 0);
}

TEST_CASE("whole batch: outside of a pass a process has its own rows") {
    std::atomic<int> wrong = 0;
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SharedWholeBatch batch(sums);
        batch.know({"loss"});
        const at::Tensor own = at::full({2, 3}, static_cast<double>(group.rank()));
        wrong += batch.gather(own, "loss").rows.equal(own) ? 0 : 1;
    });
    CHECK(wrong == 0);
}

TEST_CASE("whole batch: processes that gather for different components are told so") {
    const std::vector<std::string> errors =
        errors_of([](Group& group, PassSums& sums, SharedWholeBatch& batch) {
            sums.run(true, true, [&] {
                static_cast<void>(
                    batch.gather(at::ones({2, 3}), group.is_first() ? "first" : "second"));
            });
        });
    const auto expected = [](const char* what) {
        return std::string("the processes gather rows in different places: ") + what +
               ", the 1. in its forward pass, another one for another\n    fix: let each process "
               "gather equally often and in the same order, whatever its samples are, or train in "
               "one process";
    };
    CHECK(errors[0] == expected("rank 0 for 'first'"));
    CHECK(errors[1] == expected("rank 1 for 'second'"));
}

TEST_CASE("whole batch: processes that gather rows of other sizes, announced, are told so") {
    const std::vector<std::string> errors =
        errors_of([](Group& group, PassSums& sums, SharedWholeBatch& batch) {
            sums.run(true, false, [&] {
                static_cast<void>(batch.gather(at::ones({2, group.is_first() ? 3 : 4}), "first"));
            });
        });
    for (const std::string& error : errors) {
        CHECK(error ==
              "the processes gather rows in different places, because not all of them have a "
              "sample of this batch, or something that counts for each loss\n    fix: let each "
              "loss depend on the gathered rows, as their sum times 0 where nothing counts, or "
              "train in one process");
    }
}

TEST_CASE("whole batch: a second derivative is refused") {
    const std::vector<std::string> errors =
        errors_of([](Group&, PassSums& sums, SharedWholeBatch& batch) {
            const at::Tensor own = at::ones({2, 3}).set_requires_grad(true);
            at::Tensor all;
            sums.run(true, true, [&] { all = batch.gather(own, "first").rows; });
            sums.run(true, true, [&] {
                constexpr bool kKeepGraph = true;
                constexpr bool kCreateGraph = true;
                static_cast<void>(torch::autograd::grad({all.square().sum()}, {own}, {}, kKeepGraph,
                                                        kCreateGraph));
            });
        });
    for (const std::string& error : errors) {
        CHECK(error ==
              "a second derivative through the rows of other processes cannot be computed\n    "
              "fix: train in one process");
    }
}

}  // namespace shared_whole_batch_test
