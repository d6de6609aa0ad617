// A plan around one component whose streams, sizes and globals are made up so that they fit each
// other, as a declaration does not state everything that a component can be created for.

#pragma once

#include "base/value.hpp"
#include "solo/lone_component.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::solo {

inline constexpr std::int64_t kMadeUpBatch = 4;  // samples

// Sizes, and kinds of values for the globals that are not sizes, by turns.
struct Guess {
    enum class Constant { kNumber, kWords, kNumbersOfWords };

    std::int64_t side = 32;  // the size of images
    std::int64_t size = 4;   // any other size, including that of vocabularies
    std::vector<Constant> constants = {Constant::kNumber};
};

// Returns guesses with one size each, small ones first.
std::vector<Guess> guesses();

// Returns the kinds of constants to try with each of them.
std::vector<std::vector<Guess::Constant>> constants_to_try();

struct MadeUpPipeline : LonePlan {
    // Throws NoPlan. The plugin must outlive it.
    MadeUpPipeline(const LoneEntry& lone, Guess made_up_guess);

    // Returns equal texts for equal sizes and constants.
    [[nodiscard]] std::string text() const;

    Guess guess;
    Value settings;  // of the component
};

}  // namespace ptp::solo
