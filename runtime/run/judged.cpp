#include "run/judged.hpp"

#include <algorithm>
#include <cmath>

namespace ptp::run {

namespace {

std::optional<double> statistic_in(const Measurement& measured, const std::string& name) {
    const auto found = std::ranges::find_if(measured.statistics,
                                            [&](const auto& one) { return one.first == name; });
    return found == measured.statistics.end() ? std::nullopt : found->second;
}

// Returns "accuracy" for "hard.accuracy" if the best was measured on the set "validation.hard".
std::string without_set(const std::string& statistic, const std::string& measured_set) {
    const std::size_t dot = measured_set.find('.');
    const std::string set = dot == std::string::npos ? "" : measured_set.substr(dot + 1) + ".";
    return !set.empty() && statistic.starts_with(set) ? statistic.substr(set.size()) : statistic;
}

}  // namespace

Judged judged(const Run& run) {
    Judged judged;
    const Value* statistic = run.settings.find_path("training.judge.statistic");
    const Value* better = run.settings.find_path("training.judge.better");
    const bool is_by_statistic = statistic != nullptr && statistic->is_string();
    if (is_by_statistic) {
        judged.name = statistic->as_string();
        judged.is_larger_better = better != nullptr && *better == Value("larger");
    }
    const Value* set = run.settings.find_path("training.judge");
    if (set != nullptr && set->is_string()) {
        judged.name = set->as_string() + ".loss";  // of one of several validation sets
    }
    if (run.best) {
        judged.value = is_by_statistic
                           ? statistic_in(*run.best, without_set(judged.name, run.best->set))
                           : run.best->loss;
    }
    if (judged.value && !std::isfinite(*judged.value)) {
        judged.value.reset();
    }
    return judged;
}

}  // namespace ptp::run
