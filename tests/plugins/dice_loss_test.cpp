#include "loss_cases.hpp"

namespace dice_loss_test {

namespace {

using test::sines;

const test::Inputs kInputs{{"predictions", sines({4, 3, 2, 5}, 0.2)},
                           {"targets", test::classes({4, 2, 5}, 3)}};
const test::Inputs kAreas{{"predictions", sines({4, 3, 2, 5}, 0.2)},
                          {"targets", test::shares({4, 3, 2, 5}).round()}};
const std::string kMultilabel = "mode = \"multilabel\"\n";

test::Inputs with(test::Inputs more, const test::Inputs& rest = kInputs) {
    more.insert(rest.begin(), rest.end());
    return more;
}

}  // namespace

TEST_CASE("DiceLoss: loss and gradient are those of the formula, with masks and weights") {
    test::check_golden("DiceLoss", {"plain", "", kInputs});
    test::check_golden("DiceLoss", {"v_net", "smooth = 0.0\nsquared = true", kInputs});
    test::check_golden("DiceLoss",
                       {"masked", "use_masking = true", with({{"masks", test::some_masks({4})}})});
    test::check_golden("DiceLoss", {"weighted", "use_sample_weights = true",
                                    with({{"sample_weights", test::sample_weights(4)}})});
    test::check_golden("DiceLoss", {"classes", "class_weights = [0.0, 1.0, 2.5]", kInputs});
    test::check_golden("DiceLoss",
                       {"ignored", "", kInputs, {"predictions"}, {{"ignore_index", 1}}});
}

TEST_CASE("DiceLoss: areas may overlap, and have any number of dimensions") {
    test::check_golden("DiceLoss", {"multilabel", kMultilabel, kAreas});
    test::check_golden(
        "DiceLoss",
        {"one_dimension",
         kMultilabel + "num_spatial_dims = 1\nsmooth = 0.5\nsquared = true\nuse_masking = true",
         {{"predictions", sines({4, 3, 6}, 0.2)},
          {"targets", test::shares({4, 3, 6})},
          {"masks", test::some_masks({4})}}});
}

TEST_CASE("DiceLoss: what does not count has no effect, and means over batches are exact") {
    test::check_counting("DiceLoss", {"", "use_masking = true", kInputs});
    test::check_counting("DiceLoss", {"", kMultilabel + "use_masking = true", kAreas});
}

TEST_CASE("DiceLoss: a sample whose places are all ignored does not count") {
    auto loss = test::build("losses", "DiceLoss", "", {.globals = {{"ignore_index", 2}}});
    at::Tensor targets = test::classes({2, 2, 5}, 2);
    const at::Tensor predictions = sines({2, 2, 2, 5}, 0);
    const double alone = loss.forward(targets.slice(0, 1), predictions.slice(0, 1)).item<double>();
    targets[0].fill_(2);
    CHECK(loss.forward(targets, predictions).item<double>() == doctest::Approx(alone));
    CHECK(loss.collect().at("loss_weight") == 1);
}

TEST_CASE("DiceLoss: two empty areas are the same, though there is nothing to divide by") {
    auto loss = test::build("losses", "DiceLoss", kMultilabel + "smooth = 0.0");
    const at::Tensor predictions = torch::full({1, 1, 2, 2}, -1e30f).requires_grad_();
    const at::Tensor value = loss.forward(torch::zeros({1, 1, 2, 2}), predictions);
    CHECK(value.item<double>() == 0);
    value.backward();
    CHECK(predictions.grad().abs().sum().item<double>() == 0);
}

TEST_CASE("DiceLoss: what does not fit is refused, with the place and the value") {
    at::Tensor targets = test::classes({4, 2, 5}, 3);
    targets[2][1][3] = 3;
    at::Tensor areas = test::shares({4, 3, 2, 5});
    areas[0][2][1][4] = 2;
    const std::pair<test::LossCase, const char*> cases[] = {
        {{"", "", with({{"targets", targets}})},
         "targets[2, 1, 3] = 3: must be in [0, 3), or -100, which does not count"},
        {{"", kMultilabel, with({{"targets", areas}})},
         "targets[0, 2, 1, 4] = 2: must be in [0, 1]"},
        {{"", "", with({{"targets", test::classes({4, 2, 4}, 3)}})},
         "targets has the sizes [4, 2, 4], must have [4, 2, 5], as predictions has for each class"},
        {{"", kMultilabel, with({{"targets", test::shares({4, 1, 2, 5})}})},
         "targets has the sizes [4, 1, 2, 5], must have [4, 3, 2, 5], as predictions has"},
        {{"", "class_weights = [1.0]", kInputs},
         "class_weights: 1 given, but the predictions have 3 classes"}};
    for (const auto& [of, message] : cases) {
        CHECK(test::refusal("DiceLoss", of) == message);
    }
}

}  // namespace dice_loss_test
