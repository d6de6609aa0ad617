// Losses where every target counts are one mean: its bits are those of what each target counts,
// summed and divided, as where some do not count.

#include "support.hpp"

#include <ATen/ATen.h>

#include <limits>

namespace loss_bits_test {

namespace {

struct Case {
    const char* type;
    at::Tensor (*of_each)(const at::Tensor& predictions, const at::Tensor& targets);
};

constexpr Case kCases[] = {
    {"NLLLoss",
     [](const at::Tensor& predictions, const at::Tensor& targets) {
         return at::nll_loss(predictions, targets, {}, at::Reduction::None);
     }},
    {"CrossEntropyLoss",
     [](const at::Tensor& predictions, const at::Tensor& targets) {
         return at::cross_entropy_loss(predictions, targets, {}, at::Reduction::None);
     }},
};

bool have_same_bits(const at::Tensor& one, const at::Tensor& other) {
    const auto bits = [](const at::Tensor& tensor) {
        return tensor.detach().contiguous().view(tensor.element_size() == 8 ? at::kLong : at::kInt);
    };
    return one.isnan().all().item<bool>() ? other.isnan().all().item<bool>()
                                          : bits(one).equal(bits(other));
}

void compare(const Case& with, const at::Tensor& scores, const at::Tensor& targets) {
    CAPTURE(with.type);
    CAPTURE(scores.sizes());
    const at::Tensor ours = scores.detach().clone().requires_grad_();
    const at::Tensor theirs = scores.detach().clone().requires_grad_();
    test::Component loss = test::build("losses", with.type);
    const at::Tensor value =
        loss.run({{"targets", targets}, {"predictions", ours}}).at("loss").tensor();
    const at::Tensor each = with.of_each(theirs, targets);
    const at::Tensor factors = at::ones({targets.size(0)}, scores.options());
    const at::Tensor weight = factors.sum(at::kDouble);
    const at::Tensor expected = (each * factors).sum() / weight.to(scores.scalar_type());
    CHECK(have_same_bits(value, expected));
    value.backward();
    expected.backward();
    CHECK(have_same_bits(ours.grad(), theirs.grad()));
    CHECK(loss.collect().at("loss_weight") == static_cast<double>(targets.size(0)));
}

}  // namespace

TEST_CASE("losses: the bits of a batch where all counts are those of its sum, divided") {
    at::manual_seed(1);
    for (const Case& each : kCases) {
        for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
            for (const std::int64_t size : {1, 2, 3, 7, 16, 33, 64, 100, 1000, 4097, 70'000}) {
                compare(each, at::randn({size, 10}, type).log_softmax(1),
                        at::randint(10, {size}, at::kLong));
            }
            const at::Tensor tiny = at::zeros({9, 3}, type) - (type == at::kFloat ? 1e-41 : 1e-310);
            compare(each, tiny, at::randint(3, {9}, at::kLong));
            compare(each, at::full({5, 4}, -std::numeric_limits<double>::infinity(), type),
                    at::randint(4, {5}, at::kLong));
        }
    }
}

TEST_CASE("losses: of half precision the mean is that of floats, rounded once") {
    at::manual_seed(1);
    const auto mean_of = [](const at::Tensor& predictions) {
        test::Component loss = test::build("losses", "L1Loss");
        return loss.run({{"targets", at::zeros_like(predictions)}, {"predictions", predictions}})
            .at("loss")
            .tensor();
    };
    // The sum, 240000, is beyond 65504, the largest number of half precision.
    const at::Tensor large = mean_of(at::full({3, 40'000}, 2, at::kHalf));
    CHECK((large.scalar_type() == at::kHalf));
    CHECK(large.item<double>() == 2);
    for (int i = 0; i < 20; ++i) {
        const at::Tensor predictions = at::randn({7, 11}).to(at::kBFloat16);
        const at::Tensor expected = predictions.abs().to(at::kFloat).mean().to(at::kBFloat16);
        CHECK(mean_of(predictions).item<double>() == expected.item<double>());
    }
}

TEST_CASE("losses: of no targets the loss and the weight are 0") {
    for (const Case& each : kCases) {
        CAPTURE(each.type);
        test::Component loss = test::build("losses", each.type);
        const at::Tensor value =
            loss.run({{"targets", at::empty({0}, at::kLong)}, {"predictions", at::empty({0, 10})}})
                .at("loss")
                .tensor();
        CHECK(value.item<double>() == 0);
        CHECK(loss.collect().at("loss_weight") == 0);
    }
}

}  // namespace loss_bits_test
