#include "engine/statistics/set_aggregate.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace set_aggregate_test {

using namespace ptp::engine;

namespace {

Column column(ptp_aggregation aggregation, int weight = -1) {
    Column made;
    made.aggregation = aggregation;
    made.weight = weight;
    return made;
}

}  // namespace

TEST_CASE("set aggregate: means are weighted by samples, or by another statistic") {
    const std::vector<Column> columns = {column(PTP_AGGREGATE_MEAN), column(PTP_AGGREGATE_MEAN, 2),
                                         column(PTP_AGGREGATE_SUM)};
    SetAggregate set(columns);
    set.add(columns, std::vector<double>{2.0, 10.0, 1.0}, 3);
    set.add(columns, std::vector<double>{6.0, 20.0, 4.0}, 1);
    CHECK(set.of(columns[0], 0).value == 3.0);   // (3 * 2 + 1 * 6) / 4
    CHECK(set.of(columns[1], 1).value == 18.0);  // (1 * 10 + 4 * 20) / 5
    CHECK(set.of(columns[2], 2).value == 5.0);
    set.reset();
    CHECK(std::isnan(set.of(columns[0], 0).value));
    CHECK(set.of(columns[2], 2).value == 0.0);
}

TEST_CASE("set aggregate: the spread is over batches, with n - 1") {
    const std::vector<Column> columns = {column(PTP_AGGREGATE_MEAN)};
    SetAggregate set(columns);
    set.add(columns, std::vector<double>{2.0}, 8);
    CHECK(set.of(columns[0], 0).deviation == 0.0);
    set.add(columns, std::vector<double>{4.0}, 8);
    set.add(columns, std::vector<double>{9.0}, 1);
    const Aggregate made = set.of(columns[0], 0);
    CHECK(made.minimum == 2.0);
    CHECK(made.maximum == 9.0);
    CHECK(made.deviation == doctest::Approx(std::sqrt(13.0)));  // 9 + 1 + 16 over 2, mean 5
}

TEST_CASE("set aggregate: a batch without weight does not spoil the set") {
    const std::vector<Column> columns = {column(PTP_AGGREGATE_MEAN, 1), column(PTP_AGGREGATE_SUM)};
    SetAggregate set(columns);
    set.add(columns, std::vector<double>{std::nan(""), 0.0}, 4);
    CHECK(std::isnan(set.of(columns[0], 0).minimum));
    CHECK(std::isnan(set.of(columns[0], 0).maximum));
    CHECK(std::isnan(set.of(columns[0], 0).deviation));
    set.add(columns, std::vector<double>{0.5, 2.0}, 4);
    set.add(columns, std::vector<double>{std::nan(""), 0.0}, 4);
    set.add(columns, std::vector<double>{2.0, 1.0}, 4);
    const Aggregate made = set.of(columns[0], 0);
    CHECK(made.value == 1.0);  // (2 * 0.5 + 1 * 2) / 3
    CHECK(made.minimum == 0.5);
    CHECK(made.maximum == 2.0);
    CHECK(made.deviation == doctest::Approx(std::sqrt(1.125)));  // 2 * 0.75^2 over 1, mean 1.25
}

TEST_CASE("set aggregate: a batch that a computed statistic does not weigh is not in its spread") {
    const std::vector<Column> columns = {column(PTP_AGGREGATE_COMPUTED, 1),
                                         column(PTP_AGGREGATE_SUM)};
    SetAggregate set(columns);
    set.add(columns, std::vector<double>{0.5, 2.0}, 4);
    set.add(columns, std::vector<double>{0.0, 0.0}, 4);
    set.add(columns, std::vector<double>{1.5, 7.0}, 4);
    const Aggregate made = set.of(columns[0], 0);
    CHECK(made.minimum == 0.5);
    CHECK(made.maximum == 1.5);
    CHECK(made.deviation == doctest::Approx(std::sqrt(0.5)));  // 2 * 0.5^2 over 1, not by weight
}

}  // namespace set_aggregate_test
