#include "engine/optimizer/weight_average.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>
#include <torch/types.h>

namespace weight_average_test {

using namespace ptp;
using namespace ptp::engine;

namespace {

at::Tensor parameter(double value) {
    return torch::full({2}, value, at::kDouble).requires_grad_();
}

void set(const at::Tensor& tensor, double value) {
    tensor.detach().fill_(value);
}

double averaged(const WeightAverage& average, const at::Tensor& tensor) {
    const WeightAverage::InPlace in_place(&average);
    return tensor[0].item<double>();
}

}  // namespace

TEST_CASE("weight average: follows its formula from the start episode on") {
    const at::Tensor weight = parameter(1);
    WeightAverage average({.decay = 0.75, .start_episode = 2}, {{"net.w", weight}});
    average.update(1);
    CHECK_FALSE(average.has_begun());
    CHECK(averaged(average, weight) == 1);
    set(weight, 8);
    average.update(2);
    CHECK(averaged(average, weight) == 8);
    set(weight, 4);
    average.update(3);
    CHECK(averaged(average, weight) == 7);  // 0.75 * 8 + 0.25 * 4
    set(weight, 3);
    average.update(4);
    CHECK(averaged(average, weight) == 6);
}

TEST_CASE("weight average: the weights have their own bits again afterwards") {
    const at::Tensor weight = torch::tensor({1.0 / 3, -0.0}, at::kDouble).requires_grad_();
    const at::Tensor before = weight.detach().clone();
    WeightAverage average({.decay = 0.9}, {{"net.w", weight}});
    average.update(0);
    set(weight, 7);
    average.update(1);
    weight.detach().copy_(before);
    {
        const WeightAverage::InPlace in_place(&average);
        CHECK_FALSE(torch::equal(weight, before));
    }
    CHECK(torch::equal(weight, before));
    CHECK(std::signbit(weight[1].item<double>()));
    const WeightAverage::InPlace nothing(nullptr);
}

TEST_CASE("weight average: a restored one continues with the same bits") {
    const at::Tensor weight = parameter(1);
    WeightAverage whole({.decay = 0.999}, {{"net.w", weight}});
    WeightAverage restored({.decay = 0.999}, {{"net.w", weight}});
    restored.restore(whole.save());
    CHECK_FALSE(restored.has_begun());
    whole.update(0);
    set(weight, 1.0 / 3);
    whole.update(1);
    restored.restore(whole.save());
    set(weight, 1.0 / 7);
    whole.update(2);
    restored.update(2);
    CHECK(averaged(whole, weight) == averaged(restored, weight));
}

TEST_CASE("weight average: what was saved for other parameters is refused") {
    WeightAverage average({}, {{"net.w", parameter(1)}, {"net.v", parameter(1)}});
    average.update(0);
    WeightAverage other({}, {{"net.w", parameter(1)}, {"net.u", torch::ones({2})}});
    CHECK_THROWS_WITH_AS(other.restore(average.save()),
                         "the saved average of the weights does not fit what is trained:\n"
                         "  net.u: is missing\n"
                         "  net.v: is not trained",
                         RunError);
}

}  // namespace weight_average_test
