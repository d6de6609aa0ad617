// The measures of a classification, beside those of scikit-learn, which
// tests/golden/classification.py wrote.

#include "ptp-report/classification.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace classification_test {

using namespace ptp::report;
using nlohmann::json;

namespace {

constexpr double kTolerance = 1e-12;

RateCurves curves_of(const std::vector<double>& scores, const std::vector<bool>& is_positive) {
    return rate_curves(scores, is_positive, by_falling_score(scores));
}

double number(const json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

bool is_same(double mine, const json& theirs) {
    const double wanted = number(theirs);
    return std::isnan(wanted) ? std::isnan(mine) : std::abs(mine - wanted) <= kTolerance;
}

void compare_classes(const Probabilities& probabilities, const std::vector<std::int64_t>& targets,
                     const std::vector<ClassMeasures>& classes, const json& wanted) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
        CAPTURE(i);
        std::vector<double> scores;
        std::vector<bool> is_positive;
        for (std::size_t k = 0; k < targets.size(); ++k) {
            scores.push_back(probabilities.row(k)[i]);
            is_positive.push_back(targets[k] == static_cast<std::int64_t>(i));
        }
        CHECK(is_same(classes[i].precision, wanted["precision"][i]));
        CHECK(is_same(classes[i].recall, wanted["recall"][i]));
        CHECK(is_same(classes[i].f1, wanted["f1"][i]));
        CHECK(is_same(classes[i].specificity, wanted["specificity"][i]));
        CHECK(is_same(classes[i].negative_precision, wanted["npv"][i]));
        CHECK(is_same(classes[i].false_positive_rate, wanted["fpr"][i]));
        CHECK(is_same(classes[i].false_negative_rate, wanted["fnr"][i]));
        CHECK(is_same(classes[i].false_discovery_rate, wanted["fdr"][i]));
        CHECK(classes[i].support == wanted["support"][i].get<std::uint64_t>());
        const auto [roc, precision] = curves_of(scores, is_positive);
        CHECK(is_same(roc.area, wanted["roc"][i]));
        CHECK(is_same(precision.area, wanted["average_precision"][i]));
        if (i == 0 && !wanted["roc_x"].empty()) {
            REQUIRE(roc.x.size() == wanted["roc_x"].size());
            for (std::size_t k = 0; k < roc.x.size(); ++k) {
                CHECK(is_same(roc.x[k], wanted["roc_x"][k]));
                CHECK(is_same(roc.y[k], wanted["roc_y"][k]));
            }
        }
    }
}

void compare(const json& one) {
    const auto classes = one["classes"].get<std::size_t>();
    const auto targets = one["targets"].get<std::vector<std::int64_t>>();
    std::vector<float> scores;
    for (const json& score : one["scores"]) {
        scores.push_back(static_cast<float>(number(score)));
    }
    const Probabilities probabilities = probabilities_of(scores, classes);
    std::vector<std::int64_t> predicted;
    std::vector<double> confidences;
    std::vector<bool> is_right;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        predicted.push_back(predicted_class(probabilities.row(i)));
        if (predicted.back() >= 0) {
            confidences.push_back(probabilities.row(i)[static_cast<std::size_t>(predicted.back())]);
            is_right.push_back(predicted.back() == targets[i]);
        }
    }
    const json& wanted = one["measures"];
    const Confusion confusion = confusion_of(targets, predicted, classes);
    CHECK(confusion.counts == wanted["matrix"].get<std::vector<std::uint64_t>>());
    CHECK(confusion.left_out == targets.size() - confidences.size());
    compare_classes(probabilities, targets, class_measures(confusion), wanted);
    CHECK(is_same(brier_score(probabilities, targets), wanted["brier"]));
    const Calibration width = equal_width(confidences, is_right, 15);
    CHECK(is_same(width.error, wanted["ece_width"]));
    for (std::size_t i = 0; i < 15; ++i) {
        CHECK(width.bins[i].count == wanted["bin_counts"][i].get<std::uint64_t>());
    }
    CHECK(is_same(equal_mass(confidences, is_right, 15).error, wanted["ece_mass"]));
}

}  // namespace

TEST_CASE("classification: all measures are those of scikit-learn within 1e-12") {
    std::ifstream in(ptp::test::source_dir() / "tests/golden/classification.json");
    const json cases = json::parse(in);
    REQUIRE(cases.size() == 6);
    for (const json& one : cases) {
        CAPTURE(one["name"].get<std::string>());
        compare(one);
    }
}

TEST_CASE("classification: without samples, measures are nan and curves have no area") {
    CHECK(std::isnan(equal_width({}, {}, 15).error));
    CHECK(std::isnan(equal_mass({}, {}, 15).error));
    CHECK(std::isnan(brier_score({.classes = 2}, {})));
    CHECK(std::isnan(curves_of({}, {}).roc.area));
    CHECK(std::isnan(curves_of({}, {}).precision.area));
}

TEST_CASE("classification: scores are in falling order, equal ones as they are, without nan") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::vector<double> scores = {0.25, -1,   kInfinity,  -0.0,   std::nan(""),
                                        0,    0.25, -kInfinity, 1e-300, -2};
    CHECK(by_falling_score(scores) == std::vector<std::uint32_t>{2, 0, 6, 8, 3, 5, 1, 9, 7});
}

TEST_CASE("classification: each sample is in one bin, also those whose confidences are equal") {
    const std::vector<double> confidences = {0.5, 1, std::nan(""), 0.5, 0.5, 0.1};
    const std::vector<bool> is_right(6, true);
    CHECK(equal_width(confidences, is_right, 2).bin_of ==
          std::vector<std::int64_t>{0, 1, -1, 0, 0, 0});
    CHECK(equal_mass(confidences, is_right, 2).bin_of ==
          std::vector<std::int64_t>{0, 1, -1, 1, 1, 0});
}

TEST_CASE("classification: equal scores are one point of a curve, halfway between the orders") {
    const std::vector<double> scores = {0.5, 0.5, 0.5, 0.5};
    const std::vector<bool> is_positive = {true, false, false, false};
    const auto [roc, precision] = curves_of(scores, is_positive);
    CHECK(roc.x == std::vector<double>{0, 1});
    CHECK(roc.area == 0.5);
    CHECK(precision.area == 0.25);
}

TEST_CASE("classification: a target of another number than a class counts as left out") {
    const Confusion confusion = confusion_of(std::vector<std::int64_t>{0, -100, 1, 2},
                                             std::vector<std::int64_t>{0, 0, 1, 1}, 2);
    CHECK(confusion.counts == std::vector<std::uint64_t>{1, 0, 0, 1});
    CHECK(confusion.left_out == 2);
}

}  // namespace classification_test
