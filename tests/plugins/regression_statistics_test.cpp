#include "class_batches.hpp"
#include "support/golden.hpp"

namespace regression_statistics_test {

namespace {

test::Component make(std::string_view settings = "") {
    return test::build("statistics", "RegressionStatistics", settings);
}

using Numbers = test::Component::Numbers;

struct Values {
    Numbers set;
    Numbers last_batch;
};

// One output for each sample, two samples in a batch.
Values flat(const std::vector<double>& targets, const std::vector<double>& predictions) {
    auto statistic = make("num_targets_dims = 1");
    const auto count = static_cast<int64_t>(targets.size());
    test::run_in_batches(statistic,
                         {{"targets", test::floats(targets, {count})},
                          {"predictions", test::floats(predictions, {count})}},
                         2);
    return {statistic.aggregate(), statistic.collect()};
}

}  // namespace

TEST_CASE("RegressionStatistics: errors and R squared of a set, by hand") {
    const auto [values, batch] = flat({1, 2, 3, 6}, {2, 2, 3, 4});
    CHECK(values.at("mae") == 0.75);  // (1 + 0 + 0 + 2) / 4
    CHECK(values.at("mse") == 1.25);  // (1 + 4) / 4
    CHECK(values.at("rmse") == std::sqrt(1.25));
    CHECK(values.at("r2") == doctest::Approx(1 - 5 / 14.0));  // mean 3: 4 + 1 + 0 + 9
    // of the last batch: 3 and 6 predicted as 3 and 4
    CHECK(batch.at("mae") == 1);
    CHECK(batch.at("mse") == 2);
    CHECK(batch.at("r2") == doctest::Approx(1 - 4 / 4.5));
    CHECK(batch.at("support") == 2);
}

TEST_CASE("RegressionStatistics: a set's are scikit-learn's in any batches, far from 0 too") {
    for (const auto& [name, offset] : {std::pair("plain", 0.0), std::pair("far", 1e8)}) {
        CAPTURE(name);
        const std::vector<double> expected =
            ptp::test::golden("statistic_values", std::string("regression.") + name);
        const at::Tensor targets = test::sines({20, 3}, 0.4) + offset;
        const at::Tensor predictions = targets + test::sines({20, 3}, 2.1) / 3;
        for (const int64_t size : {20, 7, 1}) {
            auto statistic = make();
            test::run_in_batches(statistic, {{"targets", targets}, {"predictions", predictions}},
                                 size);
            const auto values = statistic.aggregate();
            CHECK(values.at("mae") == doctest::Approx(expected[0]).epsilon(1e-9));
            CHECK(values.at("mse") == doctest::Approx(expected[1]).epsilon(1e-9));
            CHECK(values.at("rmse") == doctest::Approx(expected[2]).epsilon(1e-9));
            CHECK(values.at("r2") == doctest::Approx(expected[3]).epsilon(1e-9));
        }
    }
}

TEST_CASE("RegressionStatistics: masked samples do not count, whatever they are") {
    auto statistic = make("use_masking = true");
    test::run_in_batches(statistic,
                         {{"targets", test::floats({1, 2, NAN, NAN, 3, 6}, {3, 2})},
                          {"predictions", test::floats({1, 3, 0, 0, 4, 6}, {3, 2})},
                          {"masks", test::bools({1, 0, 1})}},
                         3);
    CHECK(statistic.aggregate().at("mae") == 0.5);
    CHECK(statistic.collect().at("support") == 2);
}

TEST_CASE("RegressionStatistics: equal targets have an R squared of 1 or 0, never infinity") {
    CHECK(flat({0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}).set.at("r2") == 1);
    CHECK(flat({0.1, 0.1, 0.1}, {0.1, 0.2, 0.1}).set.at("r2") == 0);
    CHECK(std::isnan(flat({1}, {1}).set.at("r2")));
}

TEST_CASE("RegressionStatistics: where nothing counts there is no number") {
    auto statistic = make("use_masking = true");
    test::run_in_batches(statistic,
                         {{"targets", torch::ones({2, 3})},
                          {"predictions", torch::ones({2, 3})},
                          {"masks", test::bools({0, 0})}},
                         2);
    for (const auto& values : {statistic.collect(), statistic.aggregate()}) {
        for (const char* name : {"mae", "mse", "rmse", "r2"}) {
            CHECK(std::isnan(values.at(name)));
            CHECK_FALSE(std::signbit(values.at(name)));  // it would be written as -nan
        }
    }
    CHECK(statistic.collect().at("support") == 0);
}

TEST_CASE("RegressionStatistics: the sums of a part of an epoch move to another instance") {
    const at::Tensor targets = test::sines({20, 3}, 0.4);
    const at::Tensor predictions = test::sines({20, 3}, 2.1);
    const auto run = [&](test::Component& statistic, int64_t from, int64_t to) {
        test::run_in_batches(statistic,
                             {{"targets", targets.slice(0, from, to)},
                              {"predictions", predictions.slice(0, from, to)}},
                             4);
    };
    auto whole = make();
    run(whole, 0, 20);
    auto first = make();
    run(first, 0, 8);
    auto second = make();
    second.import_state(1, first.export_state());
    CHECK(second.export_state() == first.export_state());
    run(second, 8, 20);
    CHECK(second.export_state() == whole.export_state());
    CHECK(second.aggregate() == whole.aggregate());
    second.reset();
    CHECK(std::isnan(second.aggregate().at("mae")));
}

TEST_CASE("RegressionStatistics: what does not fit is refused with its sizes") {
    auto statistic = make("num_targets_dims = 3\nuse_masking = true");
    const auto run = [&](const at::Tensor& targets, const at::Tensor& predictions,
                         const at::Tensor& masks) {
        test::run_in_batches(
            statistic, {{"targets", targets}, {"predictions", predictions}, {"masks", masks}}, 9);
    };
    const at::Tensor ones = torch::ones({2, 3, 4});
    CHECK_THROWS_WITH_AS(run(torch::ones({2, 3, 1}), ones, test::bools({1, 1})),
                         "targets has the sizes [2, 3, 1], must have [2, 3, 4], as predictions has",
                         ptp::DataError);
    CHECK_THROWS_WITH_AS(run(ones, ones, test::bools({1})),
                         "masks has the sizes [1], must have [2], as targets has", ptp::DataError);
    run(ones, ones, test::bools({1, 1}));
    const at::Tensor wider = torch::ones({2, 3, 5});
    CHECK_THROWS_WITH_AS(run(wider, wider, test::bools({1, 1})),
                         "targets has 15 numbers for each sample, earlier ones of the set had 12",
                         ptp::DataError);
}

}  // namespace regression_statistics_test
