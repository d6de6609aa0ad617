// Counts trainings and epochs, and multiplies the time of the first run.

#include "ptp-search/cost.hpp"

#include "base/duration.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::search {

std::optional<Explanation> many_folds(std::int64_t folds, std::size_t trainings,
                                      const experiment::Training& training) {
    constexpr std::int64_t kMany = 20;
    if (folds <= kMany) {
        return std::nullopt;
    }
    const std::int64_t epochs = training.terminal_conditions.epoch_limit;
    return Explanation{
        fmt::format("{} folds are {} trainings{}; 5 or 10 folds are usual", folds, trainings,
                    epochs < 1    ? ""
                    : epochs == 1 ? " of 1 epoch each"
                                  : fmt::format(" of {} epochs each", epochs)),
        "--folds 10"};
}

std::string text_of_remaining(double seconds_of_first, std::size_t runs, std::size_t jobs) {
    constexpr double kMinute = 60;
    const std::size_t left = runs - std::min<std::size_t>(runs, 1);
    const auto rounds = static_cast<double>((left + jobs - 1) / std::max<std::size_t>(jobs, 1));
    const double seconds = seconds_of_first * rounds;
    return seconds < kMinute ? ""
                             : fmt::format("1 of {} runs took {}: the other {} take about {}", runs,
                                           duration_text(seconds_of_first, DurationStyle::kProse),
                                           left, duration_text(seconds, DurationStyle::kProse));
}

}  // namespace ptp::search
