// A declaration does not state everything that a component can be made for, so several sizes and
// kinds of constants are tried.

#pragma once

#include "base/value.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptp::engine {

inline constexpr std::int64_t kMadeUpBatch = 4;  // samples

struct Guess {
    enum class Constant { kNumber, kWords, kNumbersOfWords };

    std::int64_t side = 32;  // of images
    std::int64_t size = 4;   // of all else; the number of words of a vocabulary
    std::vector<Constant> constants = {
        Constant::kNumber};  // of globals that are not sizes, in turn
};

// Of one size each: small ones first.
std::vector<Guess> guesses();

// The kinds of constants to try with each of them.
std::vector<std::vector<Guess::Constant>> constants_to_try();

// What the n-th global is that is not a size.
Value constant_of(const Guess& guess, std::size_t n);

}  // namespace ptp::engine
