// Random numbers as a function of their purpose: without state, so that they do not depend on the
// order or on the thread in which they are drawn. The functions must never change: runs are
// reproduced with them.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ptp {

// The finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection that spreads every bit.
[[nodiscard]] std::uint64_t mixed(std::uint64_t value);

// Returns a key derived from another key and a number or text.
[[nodiscard]] std::uint64_t derived(std::uint64_t key, std::uint64_t number);
[[nodiscard]] std::uint64_t derived(std::uint64_t key,
                                    std::string_view text);  // FNV-1a of the text

// Draws whole numbers in [0, bound), each equally likely.
class Draws {
public:
    explicit Draws(std::uint64_t key) : key_(key) {}

    // REQUIRES: bound > 0.
    std::uint64_t below(std::uint64_t bound);

    // Returns a number in [0, 1), a multiple of 2^-53, each equally likely.
    double fraction();

private:
    std::uint64_t key_;
    std::uint64_t count_ = 0;
};

// Shuffles with Fisher-Yates, all permutations equally likely.
void shuffle(std::vector<std::int64_t>& values, std::uint64_t key);

}  // namespace ptp
