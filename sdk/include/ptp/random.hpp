// Random numbers that are the same with every compiler, standard library and machine.
#pragma once

#include <ptp/splitmix64.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>

namespace ptp {

// Mixes two numbers into one; equal pairs give equal results, different pairs almost always
// different ones.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    return ptp_splitmix64_mix(a * PTP_SPLITMIX64_STEP + b + PTP_SPLITMIX64_STEP);
}

// SplitMix64 (Steele, Lea and Flood 2014): 64 bits of state; every seed is equally good.
class Random {
public:
    constexpr explicit Random(std::uint64_t seed) : state_(seed) {}

    // Returns 64 random bits.
    constexpr std::uint64_t bits() { return ptp_splitmix64_mix(state_ += PTP_SPLITMIX64_STEP); }

    // Returns a number in [0, 1), a multiple of 2^-53.
    constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

    // Returns a number in [low, high).
    constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }

    // Returns a number in [0, count), each equally likely. REQUIRES: count > 0.
    constexpr std::int64_t below(std::int64_t count) {
        const auto n = static_cast<std::uint64_t>(count);
        const std::uint64_t reject_below = (0 - n) % n;  // 2^64 mod n: the incomplete last round
        std::uint64_t drawn = bits();
        while (drawn < reject_below) {
            drawn = bits();
        }
        return static_cast<std::int64_t>(drawn % n);
    }

    constexpr bool coin() { return (bits() >> 63) != 0; }

    // Shuffles a std::vector, std::array, std::span, ...; all orders are equally likely.
    template <class Items>
    constexpr void shuffle(Items&& items) {
        constexpr bool can_be_shuffled = std::ranges::contiguous_range<Items> &&
                                         std::ranges::sized_range<Items> &&
                                         std::permutable<std::ranges::iterator_t<Items>>;
        static_assert(can_be_shuffled,
                      "ptp: shuffle() takes items that may change and lie side by side: a "
                      "std::vector, std::array or std::span; not one that is const, a std::list or "
                      "a std::vector<bool>");
        if constexpr (can_be_shuffled) {
            const std::span all(items);
            for (std::size_t last = all.size(); last > 1; --last) {
                std::swap(all[last - 1],
                          all[static_cast<std::size_t>(below(static_cast<std::int64_t>(last)))]);
            }
        }
    }

    // Returns the state, from which Random(random.state()) continues.
    constexpr std::uint64_t state() const { return state_; }

private:
    std::uint64_t state_;
};

}  // namespace ptp
