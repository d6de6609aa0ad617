// The numbers are in tests/cases/accuracy_statistics.toml.

#include "class_batches.hpp"
#include "support/scalar_reads.hpp"

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

}  // namespace accuracy_statistics_test
