#include <ptp/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

namespace random_test {

TEST_CASE("random: gives the published sequence of SplitMix64") {
    // Of the reference implementation by Vigna, with seed 1234567.
    ptp::Random random(1234567);
    for (const uint64_t expected :
         {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u}) {
        CHECK(random.bits() == expected);
    }
}

TEST_CASE("random: uniform numbers are in [0, 1) and have the mean of such") {
    ptp::Random random(1);
    double sum = 0;
    for (int i = 0; i < 10000; ++i) {
        const double x = random.uniform();
        REQUIRE(x >= 0);
        REQUIRE(x < 1);
        sum += x;
    }
    // The mean of 10000 has a standard deviation of 0.0029.
    CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.03));
}

TEST_CASE("random: below(n) gives each number about as often") {
    ptp::Random random(2);
    std::array<int, 7> counts{};
    for (int i = 0; i < 7000; ++i) {
        ++counts.at(static_cast<size_t>(random.below(7)));
    }
    for (const int count : counts) {
        CHECK(count > 1000 - 6 * 30);
        CHECK(count < 1000 + 6 * 30);
    }
    CHECK(random.below(1) == 0);
}

TEST_CASE("random: shuffling keeps all items and depends on the seed") {
    const auto shuffled = [](uint64_t seed) {
        std::array<int, 20> items{};
        std::iota(items.begin(), items.end(), 0);
        ptp::Random(seed).shuffle(std::span<int>(items));
        return items;
    };
    CHECK(shuffled(1) == shuffled(1));
    CHECK(shuffled(1) != shuffled(2));
    auto sorted = shuffled(1);
    std::sort(sorted.begin(), sorted.end());
    CHECK(std::is_sorted(sorted.begin(), sorted.end()));
    CHECK(sorted.front() == 0);
    CHECK(sorted.back() == 19);
}

TEST_CASE("random: a vector, an array and a span are shuffled as they are, to the same order") {
    std::vector<int> items{1, 2, 3, 4, 5, 6, 7};
    std::array<int, 7> same{1, 2, 3, 4, 5, 6, 7};
    std::vector<int> again = items;
    ptp::Random(5).shuffle(items);
    ptp::Random(5).shuffle(same);
    ptp::Random(5).shuffle(std::span<int>(again));
    CHECK(std::equal(items.begin(), items.end(), same.begin()));
    CHECK(items == again);
}

TEST_CASE("random: its state is where another one continues") {
    ptp::Random random(5);
    random.bits();
    ptp::Random other(random.state());
    CHECK(other.bits() == random.bits());
}

TEST_CASE("random: mixing two numbers depends on both and on their order") {
    CHECK(ptp::mix(1, 2) != ptp::mix(2, 1));
    CHECK(ptp::mix(0, 0) != ptp::mix(0, 1));
    CHECK(ptp::mix(0, 0) != ptp::mix(1, 0));
}

}  // namespace random_test
