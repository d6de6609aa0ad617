#include "engine/distributed/synchronized_batch_norm.hpp"

#include "base/error.hpp"
#include "unit/engine/distributed/ranks.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace synchronized_batch_norm_test {

using namespace ptp::engine;
using ptp::test::run_ranks;

namespace {

constexpr std::int64_t kSamples = 5;
constexpr std::int64_t kChannels = 3;

at::Tensor images(at::ScalarType type) {
    const at::Tensor values = at::arange(kSamples * kChannels * 4, at::kDouble);
    return (values * 0.7).sin().add(values * 0.01).view({kSamples, kChannels, 2, 2}).to(type);
}

// Two layers with an operation between them, so that the gradient of the first depends on the
// second, and its loss weighs each value differently.
struct Net {
    explicit Net(at::ScalarType type)
        : weight(at::tensor({1.5, -0.5, 2.0}, at::kDouble).to(type).set_requires_grad(true)),
          bias(at::tensor({0.1, 0.2, 0.3}, at::kDouble).to(type).set_requires_grad(true)),
          mean(at::zeros({kChannels}, type)),
          variance(at::ones({kChannels}, type)) {}

    at::Tensor normalized(const at::Tensor& input, bool is_training = true) {
        return at::batch_norm(input, weight, bias, mean, variance, is_training, 0.1, 1e-5, false);
    }
    at::Tensor loss(const at::Tensor& input, const at::Tensor& factors) {
        return (normalized(normalized(input).tanh()) * factors).sum();
    }

    at::Tensor weight;
    at::Tensor bias;
    at::Tensor mean;
    at::Tensor variance;
};

struct Found {
    double loss;
    std::vector<at::Tensor> tensors;  // gradients of input, weight and bias; buffers
};

// Samples [first, first + count), in one process or within run() of one of several.
Found train(at::ScalarType type, std::int64_t first, std::int64_t count,
            SynchronizedBatchNorm* norm, bool all_take_part, bool is_picking_none = false) {
    const bool takes_part = count > 0 || is_picking_none;
    Net net(type);
    at::Tensor input = images(type).narrow(0, first, count).clone().set_requires_grad(true);
    const at::Tensor factors = images(type).cos().narrow(0, first, count);
    at::Tensor loss = at::zeros({}, type);
    const auto forward = [&] { loss = takes_part ? net.loss(input, factors) : loss; };
    const auto backward = [&] {
        if (takes_part) {
            loss.backward();
        }
    };
    if (norm == nullptr) {
        forward();
        backward();
    } else {
        norm->run(takes_part, all_take_part, forward);
        norm->run(takes_part, all_take_part, backward);
    }
    const auto gradient = [](const at::Tensor& of) {
        return of.grad().defined() ? of.grad() : at::zeros_like(of);
    };
    return {loss.item<double>(),
            {gradient(input), gradient(net.weight), gradient(net.bias), net.mean, net.variance}};
}

constexpr bool kPickingNone = true;

// The largest difference between what processes with these numbers of samples have found, and one
// with all samples. 1e9 where it is of another size. `is_picking_none`: one without samples comes
// to the layers nevertheless.
double difference(at::ScalarType type, const std::vector<std::int64_t>& counts, bool all_take_part,
                  bool is_picking_none = false) {
    const Found whole = train(type, 0, kSamples, nullptr, true);
    std::vector<Found> parts(counts.size());
    run_ranks(static_cast<std::int64_t>(counts.size()), [&](Group& group) {
        PassSums sums(group);
        SynchronizedBatchNorm norm(sums);
        std::int64_t first = 0;
        for (std::uint64_t rank = 0; rank < group.rank(); ++rank) {
            first += counts[rank];
        }
        parts[group.rank()] =
            train(type, first, counts[group.rank()], &norm, all_take_part, is_picking_none);
        const at::Tensor loss = at::scalar_tensor(parts[group.rank()].loss, at::kDouble);
        group.sum(loss, "the loss");
        parts[group.rank()].loss = loss.item<double>();
    });
    double largest = 0;
    const auto compare = [&](const at::Tensor& found, const at::Tensor& expected) {
        largest = std::max(largest, found.sizes() != expected.sizes()
                                        ? 1e9
                                        : (found - expected).abs().max().item<double>());
    };
    std::vector<at::Tensor> inputs;
    at::Tensor weight = at::zeros_like(whole.tensors[1]);
    at::Tensor bias = at::zeros_like(whole.tensors[2]);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const Found& part = parts[rank];
        inputs.push_back(part.tensors[0]);
        weight += part.tensors[1];
        bias += part.tensors[2];
        if (counts[rank] > 0) {
            compare(part.tensors[3], whole.tensors[3]);
            compare(part.tensors[4], whole.tensors[4]);
        }
    }
    compare(at::cat(inputs), whole.tensors[0]);
    compare(weight, whole.tensors[1]);
    compare(bias, whole.tensors[2]);
    return std::max(largest, std::abs(parts[0].loss - whole.loss));
}

}  // namespace

TEST_CASE("synchronized batch norm: processes find what one with the whole batch does") {
    CHECK(difference(at::kDouble, {3, 2}, true) < 1e-12);
    CHECK(difference(at::kDouble, {2, 1, 1, 1}, true) < 1e-12);
    CHECK(difference(at::kFloat, {3, 2}, true) < 1e-4);
}

TEST_CASE("synchronized batch norm: a process without samples helps the others with their sums") {
    CHECK(difference(at::kDouble, {4, 1, 0}, false) < 1e-12);
    CHECK(difference(at::kDouble, {0, 5}, false) < 1e-12);
}

TEST_CASE("synchronized batch norm: outside of a pass, and in evaluation, all is as it was") {
    std::atomic<int> wrong = 0;
    const at::Tensor input = images(at::kFloat);
    const at::Tensor batch = Net(at::kFloat).normalized(input).detach();
    const at::Tensor evaluated = Net(at::kFloat).normalized(input, false).detach();
    const auto instances = [&input] {
        return at::instance_norm(input, {}, {}, {}, {}, true, 0.1, 1e-5, false);
    };
    const at::Tensor normalized = instances();
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SynchronizedBatchNorm norm(sums);
        wrong += Net(at::kFloat).normalized(input).equal(batch) ? 0 : 1;
        norm.run(true, true, [&] {
            // Each by itself: no process waits for another one.
            if (group.is_first()) {
                wrong += Net(at::kFloat).normalized(input, false).equal(evaluated) ? 0 : 1;
                wrong += instances().equal(normalized) ? 0 : 1;
            }
        });
    });
    CHECK(wrong == 0);
}

TEST_CASE("synchronized batch norm: processes in different layers are told so") {
    const at::Tensor first = at::ones({4, 2}) + at::rand({4, 2});
    std::vector<std::string> errors(2);
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SynchronizedBatchNorm norm(sums);
        Net net(at::kFloat);
        const at::Tensor input = images(at::kFloat);
        try {
            norm.run(true, false, [&] {
                if (group.is_first()) {
                    static_cast<void>(net.normalized(input));
                } else {
                    static_cast<void>(
                        at::batch_norm(first, {}, {}, {}, {}, true, 0.1, 1e-5, false));
                }
            });
        } catch (const ptp::RunError& error) {
            errors[group.rank()] = error.what();
        }
    });
    for (const std::string& error : errors) {
        CHECK(error ==
              "distributed.buffers = \"synchronized\": the processes are in different layers of "
              "batch normalization, because not all of them have something that counts for each "
              "loss in this batch\n    fix: take buffers = \"first\", or batches in which each "
              "process has something that counts");
    }
}

TEST_CASE("synchronized batch norm: layers with equally many channels are distinguished") {
    std::vector<std::string> errors(2);
    const auto train_another = [&errors](bool is_same_in_forward) {
        run_ranks(2, [&](Group& group) {
            PassSums sums(group);
            SynchronizedBatchNorm norm(sums);
            Net first(at::kFloat);
            Net second(at::kFloat);
            norm.know({{"net: first.weight", first.weight},
                       {"net: first.running_mean", first.mean},
                       {"net: second.running_mean", second.mean}});
            const at::Tensor input = images(at::kFloat);
            try {
                at::Tensor one;
                at::Tensor other;
                norm.run(true, true, [&] {
                    Net& other_net = is_same_in_forward || group.is_first() ? first : second;
                    one = other_net.normalized(input);
                    other = second.normalized(input);
                });
                norm.run(true, true, [&] { (group.is_first() ? one : other).sum().backward(); });
                errors[group.rank()] = "none";
            } catch (const ptp::RunError& error) {
                errors[group.rank()] = error.what();
            }
        });
    };
    const auto expected = [](const char* what) {
        return std::string(
                   "distributed.buffers = \"synchronized\": the processes are in different "
                   "layers of batch normalization: ") +
               what +
               ", another one in another\n    fix: let the net take the same layers whatever its "
               "samples are, or take buffers = \"first\"";
    };
    train_another(false);
    CHECK(errors[0] == expected("rank 0 in the 1. of a pass, 'net: first.running_mean'"));
    CHECK(errors[1] == expected("rank 1 in the 1. of a pass, 'net: second.running_mean'"));
    train_another(true);
    CHECK(errors[0] == expected("rank 0 in the 1. of a pass, 'net: first.running_mean'"));
    CHECK(errors[1] == expected("rank 1 in the 2. of a pass, 'net: second.running_mean'"));
}

TEST_CASE("synchronized batch norm: one value in all processes has no variance") {
    std::vector<std::string> errors(2);
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SynchronizedBatchNorm norm(sums);
        try {
            norm.run(group.is_first(), false, [&] {
                try {
                    if (group.is_first()) {
                        static_cast<void>(at::batch_norm(at::ones({1, 2}), {}, {}, {}, {}, true,
                                                         0.1, 1e-5, false));
                    }
                } catch (const std::exception&) {  // as at the border of a component
                    throw ptp::RunError(ptp::kTrainingError, "of a component");
                }
            });
        } catch (const ptp::RunError& error) {
            errors[group.rank()] = error.what();
        }
    });
    CHECK(errors[0] ==
          "batch normalization: a channel has one value only in the batch of all processes\n    "
          "fix: take a larger batch_size");
}

TEST_CASE("synchronized batch norm: a process whose components pick no values adds zeros") {
    CHECK(difference(at::kDouble, {5, 0}, true, kPickingNone) < 1e-12);
    CHECK(difference(at::kFloat, {0, 2, 3}, true, kPickingNone) < 1e-4);
}

TEST_CASE("synchronized batch norm: bfloat16 weights and values are normalized in float32") {
    std::atomic<int> wrong = 0;
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SynchronizedBatchNorm norm(sums);
        Net half(at::kBFloat16);
        Net whole(at::kFloat);
        const at::Tensor input = images(at::kBFloat16);
        at::Tensor found;
        at::Tensor expected;
        norm.run(true, true, [&] {
            found = half.normalized(input);
            expected = whole.normalized(input.to(at::kFloat));
        });
        norm.run(true, true, [&] { found.sum().backward(); });
        wrong += found.scalar_type() == at::kBFloat16 ? 0 : 1;
        wrong += half.weight.grad().scalar_type() == at::kBFloat16 ? 0 : 1;
        // bfloat16 has 8 binary digits, also in the weights 0.1, 0.2 and 0.3.
        wrong += (found.to(at::kFloat) - expected).abs().max().item<double>() < 0.05 ? 0 : 1;
    });
    CHECK(wrong == 0);
}

TEST_CASE("synchronized batch norm: a second derivative is refused") {
    std::vector<std::string> errors(2);
    run_ranks(2, [&](Group& group) {
        PassSums sums(group);
        SynchronizedBatchNorm norm(sums);
        Net net(at::kFloat);
        at::Tensor output;
        norm.run(true, true, [&] { output = net.normalized(images(at::kFloat)); });
        try {
            norm.run(true, true, [&] {
                constexpr bool kKeepGraph = true;
                constexpr bool kCreateGraph = true;
                static_cast<void>(torch::autograd::grad({output.sum()}, {net.weight}, {},
                                                        kKeepGraph, kCreateGraph));
            });
        } catch (const ptp::RunError& error) {
            errors[group.rank()] = error.what();
        }
    });
    for (const std::string& error : errors) {
        CHECK(error ==
              "distributed.buffers = \"synchronized\": a second derivative through a batch "
              "normalization cannot be had\n    fix: take buffers = \"first\", or train in one "
              "process");
    }
}

}  // namespace synchronized_batch_norm_test
