#include "class_batches.hpp"
#include "support/golden.hpp"

namespace accuracy_statistics_test {

namespace {

test::Component make(std::string_view settings) {
    return test::build("statistics", "AccuracyStatistics", settings);
}

// Scores whose largest are at these classes of three.
at::Tensor scores(const std::vector<int64_t>& classes) {
    return torch::one_hot(test::integers(classes), 3).to(torch::kFloat) * 2 - 5;
}

void run(test::Component& component, at::Tensor targets, at::Tensor predictions,
         at::Tensor masks = {}, uint64_t set = 0) {
    test::Slots inputs;
    inputs["targets"] = std::move(targets);
    inputs["predictions"] = std::move(predictions);
    if (masks.defined()) {
        inputs["masks"] = std::move(masks);
    }
    ptp_step step = test::Component::first_step();
    step.set = set;
    component.run(std::move(inputs), step);
}

}  // namespace

TEST_CASE("AccuracyStatistics: is the share of hits in the batch, with its support") {
    auto accuracy = make("");
    run(accuracy, test::integers({0, 1, 2, 2}), scores({0, 1, 2, 0}));
    CHECK(accuracy.collect() == test::Component::Numbers{{"accuracy", 0.75}, {"support", 4}});
}

TEST_CASE("AccuracyStatistics: a set's accuracy is over all samples, not the mean over batches") {
    auto accuracy = make("");
    run(accuracy, test::integers({0, 1, 2, 2}), scores({0, 1, 2, 0}));
    run(accuracy, test::integers({1}), scores({0}));
    CHECK(accuracy.aggregate() == test::Component::Numbers{{"accuracy", 0.6}});
    accuracy.reset();
    run(accuracy, test::integers({1}), scores({1}));
    CHECK(accuracy.aggregate() == test::Component::Numbers{{"accuracy", 1.0}});
}

TEST_CASE("AccuracyStatistics: sets do not mix") {
    auto accuracy = make("");
    run(accuracy, test::integers({0, 1}), scores({0, 1}), {}, 0);
    run(accuracy, test::integers({0, 1}), scores({0, 2}), {}, 1);
    CHECK(accuracy.aggregate(0).at("accuracy") == 1.0);
    CHECK(accuracy.aggregate(1).at("accuracy") == 0.5);
    accuracy.reset(1);
    CHECK(accuracy.aggregate(0).at("accuracy") == 1.0);
    CHECK(accuracy.aggregate(1).at("accuracy") == 0.0);
}

TEST_CASE("AccuracyStatistics: predictions may be classes") {
    auto accuracy = make("use_prediction_distributions = false");
    run(accuracy, test::integers({0, 1, 2}), test::integers({0, 0, 2}));
    CHECK(accuracy.collect().at("accuracy") == doctest::Approx(2 / 3.0));
}

TEST_CASE("AccuracyStatistics: masked samples do not count") {
    auto accuracy = make("use_masking = true");
    run(accuracy, test::integers({0, 1, 2, 2}), scores({0, 0, 2, 0}), test::bools({1, 0, 0, 1}));
    CHECK(accuracy.collect() == test::Component::Numbers{{"accuracy", 0.5}, {"support", 2}});
    run(accuracy, test::integers({0}), scores({0}), test::bools({0}));
    CHECK(accuracy.collect() == test::Component::Numbers{{"accuracy", 0}, {"support", 0}});
    CHECK(accuracy.aggregate().at("accuracy") == 0.5);
}

TEST_CASE("AccuracyStatistics: the counts of a part of an epoch move to another instance") {
    auto first = make("");
    run(first, test::integers({0, 1, 2, 2}), scores({0, 1, 2, 0}));
    run(first, test::integers({1, 1}), scores({1, 1}), {}, 1);
    auto second = make("");
    second.import_state(1, first.export_state());
    run(second, test::integers({1}), scores({0}));
    CHECK(second.aggregate(0).at("accuracy") == 0.6);  // 3 of 5
    CHECK(second.aggregate(1).at("accuracy") == 1.0);
}

TEST_CASE("AccuracyStatistics: top_k is scikit-learn's, up to all classes, in any batches") {
    const at::Tensor scores = test::sines({60, 4}, 0.2);
    for (const std::string k : {"1", "2", "3", "4"}) {
        CAPTURE(k);
        auto accuracy = make("top_k = " + k);
        test::run_in_batches(accuracy, {{"targets", test::some_targets()}, {"predictions", scores}},
                             7);
        CHECK(accuracy.aggregate().at("accuracy") ==
              doctest::Approx(ptp::test::golden("statistic_values", "top_" + k)[0]));
    }
}

TEST_CASE("AccuracyStatistics: of equal scores the first classes are the highest") {
    const at::Tensor scores = test::floats({1, 1, 1, 0, 1, 1}, {2, 3});
    auto first = make("");
    run(first, test::integers({0, 1}), scores);
    CHECK(first.collect().at("accuracy") == 1);
    run(first, test::integers({1, 2}), scores);
    CHECK(first.collect().at("accuracy") == 0);
    auto second = make("top_k = 2");
    run(second, test::integers({1, 2}), scores);
    CHECK(second.collect().at("accuracy") == 1);
    run(second, test::integers({2, 0}), scores);
    CHECK(second.collect().at("accuracy") == 0);
}

TEST_CASE("AccuracyStatistics: a score that is nan makes the prediction wrong") {
    auto accuracy = make("");
    run(accuracy, test::integers({0, 1, 0}), test::floats({NAN, 0, 0, NAN, 1, 0}, {3, 2}));
    CHECK(accuracy.collect().at("accuracy") == doctest::Approx(1 / 3.0));
    auto two_of_three = make("top_k = 2");
    const at::Tensor one_nan = test::floats({NAN, 0.3, 0.1, 0.2, 0.3, NAN}, {2, 3});
    run(two_of_three, test::integers({1, 0}), one_nan);
    CHECK(two_of_three.collect().at("accuracy") == 0);
    run(two_of_three, test::integers({0, 2}), one_nan);
    CHECK(two_of_three.collect().at("accuracy") == 0);
}

TEST_CASE("AccuracyStatistics: a target out of the vocabulary is a miss, an ignored one is none") {
    auto accuracy = make("");
    run(accuracy, test::integers({0, -100, 2, 2}), scores({0, 1, 2, 0}));
    CHECK(accuracy.collect() == test::Component::Numbers{{"accuracy", 0.5}, {"support", 4}});
    auto ignoring =
        test::build("statistics", "AccuracyStatistics", "", {.globals = {{"ignore_index", -100}}});
    run(ignoring, test::integers({0, -100, 2, 2}), scores({0, 1, 2, 0}));
    CHECK(ignoring.collect().at("accuracy") == doctest::Approx(2 / 3.0));
    auto classes = make("use_prediction_distributions = false");
    run(classes, test::integers({0, -100}), test::integers({0, -100}));
    CHECK(classes.collect().at("accuracy") == 0.5);
}

TEST_CASE("AccuracyStatistics: sequences count by target, their masks by sample") {
    auto accuracy =
        test::build("statistics", "AccuracyStatistics", "num_targets_dims = 2\nuse_masking = true",
                    {.globals = {{"ignore_index", 0}}});
    run(accuracy, test::integers({1, 2, 0, 2, 1, 1}).reshape({2, 3}),
        scores({1, 1, 1, 2, 2, 1}).reshape({2, 3, 3}), test::bools({1, 1}));
    CHECK(accuracy.collect() == test::Component::Numbers{{"accuracy", 0.6}, {"support", 5}});
    run(accuracy, test::integers({1, 2, 0, 2, 1, 1}).reshape({2, 3}),
        scores({1, 1, 1, 2, 2, 1}).reshape({2, 3, 3}), test::bools({1, 0}));
    CHECK(accuracy.collect() == test::Component::Numbers{{"accuracy", 0.5}, {"support", 2}});
}

TEST_CASE("AccuracyStatistics: what does not fit is refused, with the place and the value") {
    auto accuracy = make("");
    CHECK_THROWS_WITH_AS(
        run(accuracy, test::integers({0, 3}), scores({0, 1})),
        "targets[1] = 3: must be in [0, 3), or -100, which no prediction is right for",
        ptp::DataError);
    CHECK_THROWS_WITH_AS(
        run(accuracy, test::integers({0, 1, 2}), scores({0, 1})),
        "targets has the sizes [3], must have [2], as predictions has for each class",
        ptp::DataError);
    auto masking = make("use_masking = true");
    CHECK_THROWS_WITH_AS(
        run(masking, test::integers({0, 1}), scores({0, 1}), test::bools({1, 0, 1})),
        "masks has the sizes [3], must have [2], as targets has", ptp::DataError);
    auto wide = make("top_k = 4");
    CHECK_THROWS_WITH_AS(run(wide, test::integers({0}), scores({0})),
                         "top_k = 4: must be at most 3, the number of classes", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("top_k = 2\nuse_prediction_distributions = false"),
                         "top_k = 2 needs scores: use_prediction_distributions must be true",
                         ptp::ConfigError);
}

}  // namespace accuracy_statistics_test
