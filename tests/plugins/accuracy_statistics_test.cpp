#include "support.hpp"

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

TEST_CASE("AccuracyStatistics: that of a set is over all samples, not the mean over batches") {
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
