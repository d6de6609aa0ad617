#include "support.hpp"

TEST_CASE("BatchSizeStatistics: counts the samples of the batch and of the set") {
    auto statistics = test::build("statistics", "BatchSizeStatistics");
    test::Slots first;
    first["indices"] = test::integers({5, 6, 7});
    statistics.run(std::move(first));
    CHECK(statistics.collect() == test::Component::Numbers{{"batch_size", 3}});
    test::Slots second;
    second["indices"] = test::integers({1});
    statistics.run(std::move(second));
    CHECK(statistics.collect() == test::Component::Numbers{{"batch_size", 1}});
    CHECK(statistics.aggregate() == test::Component::Numbers{{"samples_aggregated", 4}});
    statistics.reset();
    CHECK(statistics.aggregate() == test::Component::Numbers{{"samples_aggregated", 0}});
}
