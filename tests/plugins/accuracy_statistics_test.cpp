// The numbers are in tests/cases/accuracy_statistics.toml.

#include "class_batches.hpp"
#include "support/scalar_reads.hpp"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace accuracy_statistics_test {

TEST_CASE("AccuracyStatistics: its counts are read at once") {
    test::Component statistic =
        test::build("statistics", "AccuracyStatistics", "", {.globals = {{"num_classes", 3}}});
    const at::Tensor scores = at::eye(3);
    const ptp::test::ScalarReads reads;
    test::run_in_batches(statistic,
                         {{"targets", test::integers({0, 1, 1})}, {"predictions", scores}}, 3);
    CHECK(reads.count() == 0);
    CHECK(statistic.collect().at("accuracy") == doctest::Approx(2.0 / 3));
}

TEST_CASE("AccuracyStatistics: it counts as libtorch's operations do, equal scores and nan too") {
    at::manual_seed(1);
    for (const std::int64_t classes : {1, 2, 3, 10}) {
        for (const bool has_nan : {false, true}) {
            CAPTURE(classes);
            CAPTURE(has_nan);
            at::Tensor scores = at::randint(-2, 3, {200, classes}, at::kFloat);
            if (has_nan) {
                scores = scores.masked_fill(at::rand_like(scores) < 0.1,
                                            std::numeric_limits<double>::quiet_NaN());
            }
            const at::Tensor targets = at::randint(classes, {200}, at::kLong);
            const auto [highest, first] = scores.max(-1);
            const auto expected = first.eq(targets).logical_and(highest.eq(highest)).sum();
            std::map<std::string, std::vector<double>> of_samples;
            // Of doubles it calls libtorch.
            for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
                test::Component statistic = test::build("statistics", "AccuracyStatistics", "",
                                                        {.globals = {{"num_classes", classes}}});
                test::run_in_batches(statistic,
                                     {{"targets", targets}, {"predictions", scores.to(type)}}, 200);
                CHECK(statistic.collect().at("accuracy") == expected.item<double>() / 200);
                CHECK(statistic.collect().at("support") == 200);
                auto values = statistic.sample_values(200);
                CHECK((of_samples.empty() || values == of_samples));
                of_samples = std::move(values);
            }
        }
    }
}

}  // namespace accuracy_statistics_test
