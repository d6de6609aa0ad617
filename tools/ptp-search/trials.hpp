// Draws the values that `ptprun search` tries.

#pragma once

#include "experiment/searching.hpp"
#include "ptprun/sweep_points.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::search {

// Draws the value of a trial, counted from 0, as a function of only the seed, the key and the
// number, so that neither other keys nor the number of trials change it. Reals have six significant
// digits, or more in a narrow range.
Value drawn(const experiment::SearchRange& range, std::uint64_t seed, std::size_t number);

// Returns all trials of a search: an override for each of its keys, in their order, and a label as
// in a sweep, "lr=0.01 hidden_size=64".
std::vector<ptprun::SweepPoint> trials_of(const experiment::Searching& search, std::uint64_t seed);

}  // namespace ptp::search
