#include "base/random.hpp"

#include <doctest/doctest.h>

#include <map>

namespace random_test {

using ptp::derived;
using ptp::Draws;
using ptp::mixed;

TEST_CASE("random: mixed is the finalizer of splitmix64") {
    // The first two outputs of the published generator for the seed 0.
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
    CHECK(mixed(kGolden) == 0xE220A8397B1DCDAFULL);
    CHECK(mixed(2 * kGolden) == 0x6E789E6AA1B965F4ULL);
}

TEST_CASE("random: keys differ by what they are derived from, and in which order") {
    CHECK(derived(1, "order") != derived(1, "sample"));
    CHECK(derived(1, "order") != derived(2, "order"));
    CHECK(derived(derived(1, 2), 3) != derived(derived(1, 3), 2));
}

TEST_CASE("random: draws stay below their bound and reach every value") {
    Draws draws(42);
    std::map<std::uint64_t, int> seen;
    for (int i = 0; i < 7000; ++i) {
        ++seen[draws.below(7)];
    }
    REQUIRE(seen.size() == 7);
    CHECK(seen.rbegin()->first == 6);
    // 1000 each, with a deviation of 29: within five of them.
    for (const auto& [value, count] : seen) {
        CAPTURE(value);
        CHECK(count > 850);
        CHECK(count < 1150);
    }
    CHECK(draws.below(1) == 0);
}

TEST_CASE("random: shuffling gives every permutation equally often") {
    std::map<std::vector<std::int64_t>, int> seen;
    for (std::uint64_t key = 0; key < 6000; ++key) {
        std::vector<std::int64_t> values = {0, 1, 2};
        ptp::shuffle(values, derived(key, 0));
        ++seen[values];
    }
    REQUIRE(seen.size() == 6);
    for (const auto& entry : seen) {
        CHECK(entry.second > 850);
        CHECK(entry.second < 1150);
    }
}

}  // namespace random_test
