// Sizes and kinds of constants to try, since a declaration does not state everything that a
// component can be created for.

#pragma once

#include "base/value.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptp::engine {

inline constexpr std::int64_t kMadeUpBatch = 4;  // samples

struct Guess {
    enum class Constant { kNumber, kWords, kNumbersOfWords };

    std::int64_t side = 32;  // the size of images
    std::int64_t size = 4;   // any other size, including that of vocabularies
    std::vector<Constant> constants = {
        Constant::kNumber};  // for globals that are not sizes, by turns
};

// Returns guesses with one size each, small ones first.
std::vector<Guess> guesses();

// Returns the kinds of constants to try with each of them.
std::vector<std::vector<Guess::Constant>> constants_to_try();

// Returns the value of the n-th global that is not a size.
Value constant_of(const Guess& guess, std::size_t n);

}  // namespace ptp::engine
