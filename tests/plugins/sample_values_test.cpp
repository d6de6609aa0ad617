// The values of losses and statistics for each sample: their mean is the value of the batch.

#include "support.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace sample_values_test {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void check_near(const std::vector<double>& values, const std::vector<double>& expected) {
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(i);
        CHECK(std::isnan(values[i]) == std::isnan(expected[i]));
        CHECK((std::isnan(expected[i]) || values[i] == doctest::Approx(expected[i]).epsilon(1e-6)));
    }
}

struct Case {
    const char* type;
    const char* settings;
    test::Slots inputs;
    std::vector<double> expected;
};

// Log-probabilities of three samples: their losses are those of the targets, by hand.
const at::Tensor kScores = at::tensor({-1.0, -2.0, -3.0, -4.0, -5.0, -6.0}).reshape({3, 2});

}  // namespace

TEST_CASE("losses: each sample has its own mean over what counts, whatever its weight") {
    const at::Tensor targets = test::integers({0, 1, 0});
    const at::Tensor numbers = at::tensor({1.0, 2.0, 3.0, 4.0}).reshape({2, 2});
    const Case cases[] = {
        {"NLLLoss", "", {{"targets", targets}, {"predictions", kScores}}, {1, 4, 5}},
        {"NLLLoss",
         "use_masking = true",
         {{"targets", targets}, {"predictions", kScores}, {"masks", test::bools({1, 0, 1})}},
         {1, kNone, 5}},
        {"NLLLoss",
         "use_sample_weights = true",
         {{"targets", targets},
          {"predictions", kScores},
          {"sample_weights", at::tensor({2.0, 0.5, 0.0})}},
         {1, 4, kNone}},
        // -100 is ignored.
        {"NLLLoss",
         "",
         {{"targets", test::integers({0, -100, 1})}, {"predictions", kScores}},
         {1, kNone, 6}},
        {"NLLLoss",
         "class_weights = [2.0, 0.0]",
         {{"targets", targets}, {"predictions", kScores}},
         {1, kNone, 5}},
        // A sample has three targets, and the last one is ignored.
        {"NLLLoss",
         "num_targets_dims = 2",
         {{"targets", at::tensor({0, 1, -100}).to(at::kLong).reshape({1, 3})},
          {"predictions", kScores.reshape({1, 3, 2})}},
         {2.5}},
        {"MSELoss",
         "",
         {{"targets", at::zeros({2, 2}, at::kDouble)}, {"predictions", numbers}},
         {2.5, 12.5}},
        {"L1Loss",
         "use_sample_weights = true",
         {{"targets", at::zeros({2, 2}, at::kDouble)},
          {"predictions", numbers},
          {"sample_weights", at::tensor({0.0, 3.0})}},
         {kNone, 3.5}},
    };
    for (const Case& each : cases) {
        CAPTURE(std::string(each.type) + ": " + each.settings);
        test::Component loss = test::build("losses", each.type, each.settings);
        loss.run(each.inputs);
        check_near(loss.sample_values(each.expected.size()).at("loss"), each.expected);
    }
}

TEST_CASE("losses: the mean over samples that have one item each is the loss of the batch") {
    at::manual_seed(1);
    const at::Tensor scores = at::randn({7, 4});
    const at::Tensor classes = at::randint(4, {7}, at::kLong);
    const at::Tensor areas = at::randn({7, 2, 3, 3});
    const Case cases[] = {
        {"CrossEntropyLoss",
         "label_smoothing = 0.1",
         {{"targets", classes}, {"predictions", scores}},
         {}},
        {"FocalLoss", "", {{"targets", classes}, {"predictions", scores}}, {}},
        {"HuberLoss", "", {{"targets", at::randn({7, 4})}, {"predictions", scores}}, {}},
        {"BCEWithLogitsLoss", "", {{"targets", at::rand({7, 4})}, {"predictions", scores}}, {}},
        {"SigmoidFocalLoss", "", {{"targets", at::rand({7, 4})}, {"predictions", scores}}, {}},
        {"DiceLoss",
         "",
         {{"targets", at::randint(2, {7, 3, 3}, at::kLong)}, {"predictions", areas}},
         {}},
        {"TripletLoss",
         "",
         {{"anchors", scores}, {"positives", at::randn({7, 4})}, {"negatives", at::randn({7, 4})}},
         {}},
    };
    for (const Case& each : cases) {
        CAPTURE(each.type);
        test::Component loss = test::build("losses", each.type, each.settings);
        const double of_batch = loss.run(each.inputs).at("loss").tensor().item<double>();
        const std::vector<double> values = loss.sample_values(7).at("loss");
        double sum = 0;
        for (const double value : values) {
            sum += value / 7;
        }
        CHECK(sum == doctest::Approx(of_batch).epsilon(1e-5));
    }
}

TEST_CASE(
    "AccuracyStatistics: each sample has its target, its prediction and whether it is right") {
    test::Component statistic =
        test::build("statistics", "AccuracyStatistics", "use_masking = true",
                    {.globals = {{"num_classes", 2}}});
    statistic.run(
        {{"targets", test::integers({0, 0, 1, -100})},
         {"predictions", at::tensor({3.0, 1.0, 1.0, 3.0, kNone, 3.0, 0.0, 1.0}).reshape({4, 2})},
         {"masks", test::bools({1, 1, 1, 0})}});
    auto values = statistic.sample_values(4);
    check_near(values.at("accuracy"), {1, 0, 0, kNone});
    check_near(values.at("target"), {0, 0, 1, kNone});
    check_near(values.at("predicted"), {0, 1, -100, kNone});
}

TEST_CASE("AccuracyStatistics: a sample of several targets has their share alone") {
    test::Component statistic =
        test::build("statistics", "AccuracyStatistics",
                    "num_targets_dims = 2\nuse_prediction_distributions = false",
                    {.globals = {{"num_classes", 3}}});
    statistic.run({{"targets", test::integers({0, 1, 2, 0}).reshape({2, 2})},
                   {"predictions", test::integers({0, 1, 2, 1}).reshape({2, 2})}});
    auto values = statistic.sample_values(2);
    check_near(values.at("accuracy"), {1, 0.5});
    check_near(values.at("target"), {kNone, kNone});
    check_near(values.at("predicted"), {kNone, kNone});
}

TEST_CASE("BLEUStatistics: each sentence has its own score, of the orders that it has") {
    test::Component statistic =
        test::build("text_statistics", "BLEUStatistics", "use_tokens = true");
    const std::vector<std::vector<std::string>> targets = {
        {"a", "b", "c", "d", "e"}, {"a", "b"}, {"a", "b"}};
    const std::vector<std::vector<std::string>> predictions = {
        {"a", "b", "c", "e"}, {"a", "b"}, {"c"}};
    statistic.run({{"targets", targets}, {"predictions", predictions}});
    // 4 of 4 words, 2 of 3 pairs, 1 of 2 threes, no four, which counts as half of one; one word is
    // missing.
    const double first = std::exp(-0.25) * std::pow(2.0 / 3 / 2 / 2, 0.25);
    check_near(statistic.sample_values(3).at("bleu"), {first, 1, 0});
}

TEST_CASE("WordErrorRateStatistics: each sentence has its own rate, nan without words") {
    test::Component statistic =
        test::build("text_statistics", "WordErrorRateStatistics", "use_tokens = true");
    const std::vector<std::vector<std::string>> targets = {{"a", "b", "c", "d"}, {"a", "b"}, {}};
    const std::vector<std::vector<std::string>> predictions = {
        {"a", "c", "d"}, {"b", "a", "c"}, {"a"}};
    statistic.run({{"targets", targets}, {"predictions", predictions}});
    check_near(statistic.sample_values(3).at("word_error_rate"), {0.25, 1, kNone});
}

}  // namespace sample_values_test
