// [search]: the values that `ptprun search` tries, and the number of trials.

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

// The distribution of the values of a key, in the order of kDistributions.
enum class Distribution : std::int32_t { kUniform, kLogUniform, kInteger, kLogInteger, kChoice };

inline constexpr std::array<std::string_view, 5> kDistributions = {
    "uniform", "log_uniform", "integer", "log_integer", "choice"};

// The possible values of one key.
struct SearchRange {
    std::string key;  // "training.optimizer.lr", as in --set
    Distribution distribution = Distribution::kUniform;
    std::vector<Value> values = {};  // the lowest and the highest, or all choices
};

struct Searching {
    std::int64_t trials = 20;
    // The best 1/N of the trials of a rung continue; 0: all are trained to their end.
    std::int64_t halving = 3;
    SourceLocation halving_place = {};            // no place for the default
    std::optional<std::int64_t> min_budget = {};  // minimum training of each trial
    SourceLocation min_budget_place = {};
    std::vector<SearchRange> space = {};
};

// Returns the path of a key's range in messages: "search.space.\"training.optimizer.lr\"".
std::string range_path(const std::string& key);

}  // namespace ptp::experiment
