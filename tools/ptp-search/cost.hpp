// What several trainings cost: their number before they begin, and the time that is left once the
// first has ended.
#pragma once

#include "base/explanation.hpp"
#include "experiment/experiment.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ptp::search {

// Returns a warning of more folds than are usual; `trainings` is the number of all runs.
std::optional<Explanation> many_folds(std::int64_t folds, std::size_t trainings,
                                      const experiment::Training& training);

// Returns "1 of 1000 runs took 3 s: the other 999 take about 49 min 57 s"; "" where that is less
// than a minute. `jobs` runs are trained at a time.
std::string text_of_remaining(double seconds_of_first, std::size_t runs, std::size_t jobs);

}  // namespace ptp::search
