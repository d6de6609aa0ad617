// Matrices of whole programs: the tests of each day take some of the cases, the slow ones all.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace ptp::test {

// Whether this is the test `NAME.all`, which ptp_add_test(ALL ...) has given the label `slow`.
inline bool is_all_wanted() {
    return std::getenv("PTP_TEST_ALL") != nullptr;
}

// The first, every n-th after it, and the last.
template <typename T>
std::vector<T> some_of(const std::vector<T>& all, std::size_t n) {
    if (is_all_wanted()) {
        return all;
    }
    std::vector<T> some;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % n == 0 || i + 1 == all.size()) {
            some.push_back(all[i]);
        }
    }
    return some;
}

}  // namespace ptp::test
