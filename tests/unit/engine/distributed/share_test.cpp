#include "engine/distributed/share.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace share_test {

using ptp::engine::share_of;

TEST_CASE("share: the parts of a batch follow each other, and differ by one sample at most") {
    struct Case {
        std::uint64_t size;
        std::vector<std::uint64_t> counts;
    };
    for (const Case& c : {Case{8, {2, 2, 2, 2}}, Case{10, {3, 3, 2, 2}}, Case{3, {1, 1, 1, 0}},
                          Case{1, {1, 0, 0, 0}}, Case{7, {7}}}) {
        CAPTURE(c.size);
        std::uint64_t first = 0;
        for (std::uint64_t rank = 0; rank < c.counts.size(); ++rank) {
            const auto share = share_of(c.size, rank, c.counts.size());
            CHECK(share.first == first);
            CHECK(share.count == c.counts[rank]);
            first += share.count;
        }
        CHECK(first == c.size);
    }
}

TEST_CASE("share: where each must have two samples, fewer ranks share a small batch") {
    struct Case {
        std::uint64_t size;
        std::vector<std::uint64_t> counts;
    };
    for (const Case& c : {Case{3, {3, 0}}, Case{4, {2, 2}}, Case{7, {3, 2, 2, 0}}, Case{1, {1, 0}},
                          Case{0, {0, 0}}, Case{9, {3, 2, 2, 2}}}) {
        CAPTURE(c.size);
        std::uint64_t first = 0;
        for (std::uint64_t rank = 0; rank < c.counts.size(); ++rank) {
            const auto share = share_of(c.size, rank, c.counts.size(), 2);
            CHECK(share.first == first);
            CHECK(share.count == c.counts[rank]);
            first += share.count;
        }
        CHECK(first == c.size);
    }
}

}  // namespace share_test
