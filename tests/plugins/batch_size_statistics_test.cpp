#include "support.hpp"

namespace batch_size_statistics_test {

namespace {

void run(test::Component& component, const std::vector<int64_t>& indices) {
    test::Slots inputs;
    inputs["indices"] = test::integers(indices);
    component.run(std::move(inputs));
}

using Numbers = test::Component::Numbers;

}  // namespace

TEST_CASE("BatchSizeStatistics: counts the samples of the batch and of the set") {
    auto statistics = test::build("statistics", "BatchSizeStatistics");
    run(statistics, {5, 6, 7});
    CHECK(statistics.collect() == Numbers{{"batch_size", 3}});
    run(statistics, {1});
    CHECK(statistics.collect() == Numbers{{"batch_size", 1}});
    // The mean batch of the set has 2 samples: weighted by samples it would have 2.5.
    CHECK(statistics.aggregate() == Numbers{{"batch_size", 2}, {"samples_aggregated", 4}});
    statistics.reset();
    CHECK(statistics.aggregate() == Numbers{{"batch_size", 0}, {"samples_aggregated", 0}});
}

TEST_CASE("BatchSizeStatistics: the counts of a part of an epoch move to another instance") {
    auto first = test::build("statistics", "BatchSizeStatistics");
    run(first, {5, 6, 7});
    auto second = test::build("statistics", "BatchSizeStatistics");
    second.import_state(1, first.export_state());
    run(second, {1});
    CHECK(second.aggregate() == Numbers{{"batch_size", 2}, {"samples_aggregated", 4}});
}

}  // namespace batch_size_statistics_test
