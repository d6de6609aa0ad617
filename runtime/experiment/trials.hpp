// The values that `ptprun search` tries.

#pragma once

#include "experiment/load/sweep.hpp"
#include "experiment/searching.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::experiment {

// "training.optimizer.lr=0.01", as after --set.
std::string override_text(const std::string& key, const Value& value);

// The value of trial N, from 0: a function of the seed, the key and N alone, so that neither other
// keys nor the number of trials change it. Reals have six significant digits, those of a narrow
// range more.
Value drawn(const SearchRange& range, std::uint64_t seed, std::size_t number);

// All trials of a search: an override for each of its keys, in their order, and a label as in a
// sweep, "lr=0.01 hidden_size=64".
std::vector<SweepPoint> trials_of(const Searching& search, std::uint64_t seed);

}  // namespace ptp::experiment
