#include "class_batches.hpp"
#include "support/golden.hpp"

namespace roc_statistics_test {

namespace {

const std::string kMulticlass = "mode = \"multiclass\"";

test::Component make(std::string_view settings = "", test::Wiring wiring = {}) {
    return test::build("statistics", "ROCStatistics", settings, std::move(wiring));
}

at::Tensor yes_or_no() {
    const at::Tensor k = torch::arange(60);
    return (k * k + 1).remainder(3).eq(1).to(torch::kLong);
}

double expected(const std::string& name) {
    return ptp::test::golden("statistic_values", "roc." + name).at(0);
}

double area(const std::vector<int64_t>& targets, const std::vector<double>& scores) {
    auto statistic = make();
    const auto count = static_cast<int64_t>(scores.size());
    test::run_in_batches(
        statistic,
        {{"targets", test::integers(targets)}, {"predictions", test::floats(scores, {count})}}, 2);
    return statistic.aggregate().at("auc");
}

}  // namespace

TEST_CASE("ROCStatistics: the area is the share of pairs in the right order, by hand") {
    CHECK(area({0, 0, 1, 1}, {0.1, 0.4, 0.35, 0.8}) == 0.75);
    CHECK(area({0, 1}, {1, 2}) == 1);
    CHECK(area({1, 0}, {1, 2}) == 0);
    CHECK(area({0, 1, 0, 1}, {1, 1, 1, 1}) == 0.5);
    CHECK(area({0, 1, 1}, {-INFINITY, -INFINITY, INFINITY}) == 0.75);
}

TEST_CASE("ROCStatistics: two classes are scikit-learn's in any batches, with ties and masks") {
    const at::Tensor scores = test::sines({60}, 0.2);
    for (const int64_t size : {60, 7, 1}) {
        auto plain = make();
        test::run_in_batches(plain, {{"targets", yes_or_no()}, {"predictions", scores}}, size);
        CHECK(plain.aggregate().at("auc") == doctest::Approx(expected("plain")));
        auto ties = make();
        test::run_in_batches(ties, {{"targets", yes_or_no()}, {"predictions", scores.round()}},
                             size);
        CHECK(ties.aggregate().at("auc") == doctest::Approx(expected("ties")));
        auto masked = make("use_masking = true");
        test::run_in_batches(masked,
                             {{"targets", yes_or_no()},
                              {"predictions", scores},
                              {"masks", test::every_third_masked()}},
                             size);
        CHECK(masked.aggregate().at("auc") == doctest::Approx(expected("masked")));
    }
}

TEST_CASE("ROCStatistics: several classes are scikit-learn's mean of one against the rest") {
    const at::Tensor shares = test::sines({60, 3}, 0.2).softmax(1);
    for (const at::Tensor& scores : {shares, shares.log()}) {
        auto statistic = make(kMulticlass);
        test::run_in_batches(statistic,
                             {{"targets", test::some_targets()}, {"predictions", scores}}, 11);
        CHECK(statistic.aggregate().at("auc") == doctest::Approx(expected("classes")));
    }
}

TEST_CASE("ROCStatistics: a class without targets, or with all of them, is left out") {
    auto statistic = make(kMulticlass);
    // Class 2 never comes; its scores would be anything.
    test::run_in_batches(statistic,
                         {{"targets", test::integers({0, 1, 0})},
                          {"predictions", test::floats({3, 1, 0, 1, 2, 9, 2, 0, 9}, {3, 3})}},
                         3);
    CHECK(statistic.aggregate().at("auc") == 1);
    auto alone = make(kMulticlass);
    test::run_in_batches(
        alone,
        {{"targets", test::integers({0, 0})}, {"predictions", test::floats({1, 2, 3, 4}, {2, 2})}},
        2);
    CHECK(std::isnan(alone.aggregate().at("auc")));
}

TEST_CASE("ROCStatistics: an empty set has no area, nor has a batch") {
    auto statistic = make("use_masking = true");
    CHECK(std::isnan(statistic.aggregate().at("auc")));
    test::run_in_batches(statistic,
                         {{"targets", test::integers({0, 1})},
                          {"predictions", test::floats({NAN, NAN}, {2})},
                          {"masks", test::bools({0, 0})}},
                         2);
    CHECK(std::isnan(statistic.aggregate().at("auc")));
    CHECK(statistic.collect().empty());
}

TEST_CASE("ROCStatistics: the scores of a part of an epoch move to another instance") {
    const at::Tensor scores = test::sines({60, 3}, 0.2);
    auto whole = make(kMulticlass);
    test::run_in_batches(whole, {{"targets", test::some_targets()}, {"predictions", scores}}, 10);
    auto first = make(kMulticlass);
    test::run_in_batches(first,
                         {{"targets", test::some_targets().slice(0, 0, 30)},
                          {"predictions", scores.slice(0, 0, 30)}},
                         10);
    auto second = make(kMulticlass);
    second.import_state(1, first.export_state());
    test::run_in_batches(
        second,
        {{"targets", test::some_targets().slice(0, 30)}, {"predictions", scores.slice(0, 30)}}, 10);
    CHECK(second.export_state() == whole.export_state());
    CHECK(second.aggregate() == whole.aggregate());
    second.reset();
    CHECK(std::isnan(second.aggregate().at("auc")));
}

TEST_CASE("ROCStatistics: what cannot be ranked is refused, with the place and the value") {
    const auto refusal = [](const std::string& settings,
                            const std::map<std::string, at::Tensor>& inputs) -> std::string {
        try {
            auto statistic = make(settings);
            test::run_in_batches(statistic, inputs, 100);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "it was not refused";
    };
    const at::Tensor two = test::integers({0, 1});
    CHECK(refusal("", {{"targets", test::integers({0, 2})},
                       {"predictions", test::floats({1, 2}, {2})}}) ==
          "targets[1] = 2: must be in [0, 2)");
    CHECK(refusal("", {{"targets", two}, {"predictions", test::floats({1, NAN}, {2})}}) ==
          "predictions[1] = nan: must be a number, to be ranked");
    CHECK(refusal(kMulticlass,
                  {{"targets", two}, {"predictions", test::floats({1, 2, NAN, 0}, {2, 2})}}) ==
          "predictions[1, 0] = nan: must be a number, to be ranked");
    CHECK(refusal("", {{"targets", test::integers({0, 1, 1})},
                       {"predictions", test::floats({1, 2}, {2})}}) ==
          "targets has the sizes [3], must have [2], as predictions has for each class");
    auto statistic = make(kMulticlass);
    test::run_in_batches(statistic, {{"targets", two}, {"predictions", torch::ones({2, 3})}}, 2);
    CHECK_THROWS_WITH_AS(
        test::run_in_batches(statistic, {{"targets", two}, {"predictions", torch::ones({2, 2})}},
                             2),
        "predictions has scores for 2 classes, earlier ones of the set for 3", ptp::DataError);
}

}  // namespace roc_statistics_test
