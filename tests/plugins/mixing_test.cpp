// The formulas are those of torchvision's v2.MixUp and v2.CutMix, applied to what was drawn, which
// the targets show.

#include "support.hpp"

namespace mixing_test {

namespace {

constexpr int64_t kBatch = 4;

test::Component make(std::string_view type, const std::string& settings, uint64_t seed = 1) {
    return test::build("augmentations", type, settings,
                       {.globals = {{"num_classes", kBatch}}, .seed = seed});
}

at::Tensor images(int64_t height = 6, int64_t width = 8) {
    return torch::arange(kBatch * 3 * height * width, torch::kFloat)
        .reshape({kBatch, 3, height, width});
}

test::Slots mix(test::Component& component, const at::Tensor& inputs) {
    return component.run({{"inputs", inputs}, {"targets", torch::arange(kBatch)}});
}

// The share of the image itself, as each row has it: sample i is of class i, the one before of i-1.
double share_of(const test::Slots& outputs) {
    const at::Tensor soft = outputs.at("soft_targets").tensor();
    const double share = soft[1][1].item<double>();
    const at::Tensor own = torch::eye(kBatch);
    CHECK(torch::allclose(soft, own * share + own.roll(1, 0) * (1 - share), 1e-6, 1e-6));
    return share;
}

}  // namespace

TEST_CASE("MixUp: images are weighted means with the one before, by the shares of the targets") {
    auto component = make("MixUp", "alpha = 0.4");
    const at::Tensor inputs = images();
    for (int i = 0; i < 20; ++i) {
        const auto outputs = mix(component, inputs);
        const double share = share_of(outputs);
        CHECK(torch::allclose(outputs.at("outputs").tensor(),
                              inputs.roll(1, 0) * (1 - share) + inputs * share, 1e-4, 1e-3));
    }
}

TEST_CASE("MixUp: shares have the mean and the variance of Beta(alpha, alpha)") {
    for (const double alpha : {0.2, 1.0, 3.0}) {
        auto component = make("MixUp", "alpha = " + std::to_string(alpha));
        constexpr int kDraws = 4000;
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < kDraws; ++i) {
            const double share =
                mix(component, images(1, 1)).at("soft_targets").tensor()[1][1].item<double>();
            sum += share;
            squares += (share - 0.5) * (share - 0.5);
        }
        CHECK(sum / kDraws == doctest::Approx(0.5).epsilon(0.04));
        CHECK(squares / kDraws == doctest::Approx(0.25 / (2 * alpha + 1)).epsilon(0.08));
    }
}

TEST_CASE("MixUp: a batch is mixed with the given chance, and another seed draws otherwise") {
    auto component = make("MixUp", "probability = 0.25");
    int mixed = 0;
    for (int i = 0; i < 2000; ++i) {
        mixed += share_of(mix(component, images(1, 1))) < 1 ? 1 : 0;
    }
    CHECK(mixed == doctest::Approx(500).epsilon(0.1));
    auto one = make("MixUp", "", 1);
    auto same = make("MixUp", "", 1);
    auto other = make("MixUp", "", 2);
    const double share = share_of(mix(one, images()));
    CHECK(share == share_of(mix(same, images())));
    CHECK(share != share_of(mix(other, images())));
}

TEST_CASE("CutMix: one rectangle is that of the image before, and shares are what it leaves") {
    auto component = make("CutMix", "");
    const at::Tensor inputs = images();
    const at::Tensor before = inputs.roll(1, 0);
    int whole = 0;
    for (int i = 0; i < 200; ++i) {
        const auto outputs = mix(component, inputs);
        const at::Tensor made = outputs.at("outputs").tensor();
        const at::Tensor changed = made.ne(inputs);
        CHECK(torch::equal(made, torch::where(changed, before, inputs)));
        const at::Tensor place = changed[0][0];
        CHECK(torch::equal(changed, place.expand_as(changed)));
        const auto area = place.sum().item<int64_t>();
        CHECK(area == place.any(0).sum().item<int64_t>() * place.any(1).sum().item<int64_t>());
        CHECK(share_of(outputs) ==
              doctest::Approx(1 - static_cast<double>(area) / 48).epsilon(1e-5));
        whole += area == 0 ? 1 : 0;
    }
    CHECK(whole < 40);  // a side below 1 / 4 of 8 pixels: a share above 15 / 16
}

TEST_CASE("CutMix: shares of MixUp are mixed again") {
    auto component = make("CutMix", "use_soft_targets = true\nclasses = 2");
    const at::Tensor shares = test::floats({0.5, 0.5, 1, 0, 0.25, 0.75}, {3, 2});
    const auto outputs = component.run({{"inputs", images().narrow(0, 0, 3)}, {"targets", shares}});
    const at::Tensor made = outputs.at("soft_targets").tensor();
    const double share = (made[1][0].item<double>() - 0.5) / 0.5;
    CHECK(torch::allclose(made, shares * share + shares.roll(1, 0) * (1 - share), 1e-6, 1e-6));
}

}  // namespace mixing_test
