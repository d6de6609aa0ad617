// Draws from splitmix64 as a function of a key.

#include "base/random.hpp"

#include <ptp/splitmix64.h>

#include <cassert>
#include <utility>

namespace ptp {

namespace {

constexpr std::uint64_t kStep = PTP_SPLITMIX64_STEP;

}  // namespace

std::uint64_t mixed(std::uint64_t value) {
    return ptp_splitmix64_mix(value);
}

std::uint64_t derived(std::uint64_t key, std::uint64_t number) {
    return mixed(mixed(key + kStep) ^ (number * kStep + 1));
}

std::uint64_t derived(std::uint64_t key, std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
    return derived(key, hash);
}

std::uint64_t Draws::below(std::uint64_t bound) {
    assert(bound > 0);
    // Numbers beyond the last whole multiple of the bound are drawn again, or small ones would be
    // more likely.
    const std::uint64_t excess = (UINT64_MAX % bound + 1) % bound;
    for (;;) {
        const std::uint64_t draw = mixed(key_ + kStep * ++count_);
        if (draw <= UINT64_MAX - excess) {
            return draw % bound;
        }
    }
}

double Draws::fraction() {
    return static_cast<double>(mixed(key_ + kStep * ++count_) >> 11U) * 0x1p-53;
}

void shuffle(std::vector<std::int64_t>& values, std::uint64_t key) {
    Draws draws(key);
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[draws.below(i)]);
    }
}

}  // namespace ptp
