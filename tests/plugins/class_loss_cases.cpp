#include "class_loss_cases.hpp"

#include <cmath>

namespace test {

void check_class_goldens(const std::string& type, const std::string& prefix,
                         const std::string& settings) {
    const double shift = type == "NLLLoss" ? 2 : 0;  // its predictions must not be positive
    const auto predictions = [&](at::IntArrayRef sizes) { return sines(sizes, 0.2) - shift; };
    const Inputs plain{{"predictions", predictions({7, 4})}, {"targets", classes({7}, 4)}};
    const auto check = [&](const char* name, const std::string& more, Inputs inputs,
                           std::map<std::string, ptp::Data> globals = {}) {
        inputs.insert(plain.begin(), plain.end());
        check_golden(type, {.golden = prefix + name,
                            .settings = settings + "\n" + more,
                            .inputs = std::move(inputs),
                            .globals = std::move(globals)});
    };
    check("plain", "", {});
    check("masked", "use_masking = true", {{"masks", some_masks({7})}});
    check("ignored", "", {}, {{"ignore_index", 1}});
    check("weighted", "class_weights = [1.0, 0.25, 3.0, 0.0]", {});
    check("samples",
          "class_weights = [1.0, 0.25, 3.0, 0.5]\nuse_masking = true\nuse_sample_weights = true",
          {{"masks", some_masks({7})}, {"sample_weights", sample_weights(7)}});
    check("places", "num_targets_dims = 3\nnum_masks_dims = 2\nuse_masking = true",
          {{"predictions", predictions({3, 2, 2, 4})},
           {"targets", classes({3, 2, 2}, 4)},
           {"masks", some_masks({3, 2})}},
          {{"ignore_index", 2}});
    check("first", "num_targets_dims = 3\nclasses_first = true",
          {{"predictions", predictions({3, 4, 2, 2})}, {"targets", classes({3, 2, 2}, 4)}});
}

void check_class_refusals(const std::string& type) {
    const at::Tensor scores = sines({3, 4}, 0) - 2;
    const auto with = [&](const std::vector<int64_t>& targets) {
        return Inputs{{"predictions", scores}, {"targets", integers(targets)}};
    };
    Inputs places{{"predictions", sines({2, 3, 5}, 0)}, {"targets", classes({2, 3}, 5)}};
    places["targets"][1][2] = 5;
    Inputs weighted = with({0, 1, 2});
    weighted["sample_weights"] = floats({1, -1, 1}, {3});
    const std::pair<LossCase, const char*> cases[] = {
        {{"", "", with({0, 4, 1})},
         "targets[1] = 4: must be in [0, 4), or -100, which does not count"},
        {{"", "", with({0, 1, -1})},
         "targets[2] = -1: must be in [0, 4), or -100, which does not count"},
        {{"", "", with({0, 1, -100}), {"predictions"}, {{"ignore_index", 7}}},
         "targets[2] = -100: must be in [0, 4), or 7, which does not count"},
        {{"", "num_targets_dims = 2", places},
         "targets[1, 2] = 5: must be in [0, 5), or -100, which does not count"},
        {{"", "", with({0, 1})},
         "targets has the sizes [2], must have [3], as predictions has for each class"},
        {{"", "use_sample_weights = true", weighted},
         "sample_weights[1] = -1: must be in [0, inf)"},
        {{"", "class_weights = [1.0, 2.0]", with({0, 1, 2})},
         "class_weights: 2 given, but the predictions have 4 classes"},
        {{"", "class_weights = [0.0, 0.0]", with({0, 1, 2})},
         "class_weights: all are 0, so that nothing would count"},
        {{"", "num_masks_dims = 2", with({0, 1, 2})},
         "num_masks_dims = 2: must be at most num_targets_dims = 1"}};
    for (const auto& [of, message] : cases) {
        CHECK(refusal(type, of) == message);
    }
    auto loss = build("losses", type, "use_masking = true");
    const at::Tensor masks = bools({1, 0, 1});
    CHECK(loss.forward(integers({0, 4, 1}), scores, masks).isfinite().item<bool>());
}

void check_class_weight_of_0(const std::string& type) {
    struct Outcome {
        double loss;
        double weight;
        at::Tensor gradient;
    };
    const auto outcome = [&](const at::Tensor& scores) {
        auto loss = build("losses", type, "class_weights = [1.0, 0.0, 0.5]");
        const at::Tensor predictions = scores.clone().requires_grad_();
        const at::Tensor value = loss.forward(integers({0, 1, 2, 1}), predictions);
        value.backward();
        return Outcome{value.item<double>(), loss.collect().at("loss_weight"), predictions.grad()};
    };
    const at::Tensor scores = sines({4, 3}, 0.2) - 2;
    const Outcome wanted = outcome(scores);
    CHECK(std::isfinite(wanted.loss));
    for (const double bad : {NAN, -INFINITY, INFINITY}) {
        CAPTURE(bad);
        at::Tensor spoiled = scores.clone();
        spoiled[1].fill_(bad);
        spoiled[3][1] = bad;
        const Outcome found = outcome(spoiled);
        CHECK(found.loss == wanted.loss);
        CHECK(found.weight == wanted.weight);
        CHECK(torch::equal(found.gradient, wanted.gradient));
    }
}

}  // namespace test
