// [search]: which values `ptprun search` tries, and how often.

#pragma once

#include "base/source_location.hpp"
#include "base/value.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::experiment {

// How the values of a key are drawn, in the order of kDistributions.
enum class Distribution : std::int32_t { kUniform, kLogUniform, kInteger, kLogInteger, kChoice };

inline constexpr std::array<std::string_view, 5> kDistributions = {
    "uniform", "log_uniform", "integer", "log_integer", "choice"};

// The values that one key may have.
struct SearchRange {
    std::string key;  // "training.optimizer.lr", as after --set
    Distribution distribution = Distribution::kUniform;
    std::vector<Value> values = {};  // the lowest and the highest, or all that can be chosen
};

struct Searching {
    std::int64_t trials = 20;
    // The best 1/N of the trials of a rung continue; 0: all are trained to their end.
    std::int64_t halving = 3;
    SourceLocation halving_place = {};            // nowhere for the default
    std::optional<std::int64_t> min_budget = {};  // what each trial is trained for at least
    SourceLocation min_budget_place = {};
    std::vector<SearchRange> space = {};
};

}  // namespace ptp::experiment
