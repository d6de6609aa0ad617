// Formats the values of a run as text, and finds the value by which the run was judged.

#include "run/run.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptp::run {

const std::vector<std::string>& states() {
    static const std::vector<std::string> all = {"running", "done", "stopped",
                                                 "failed",  "died", "unreadable"};
    return all;
}

std::string number_text(std::optional<double> number) {
    return fmt::format("{:.6g}", number.value_or(std::numeric_limits<double>::quiet_NaN()));
}

std::string plain(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t size = utf8_length(text);
        const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
        result += size > 0 && is_control(utf8_code(character)) ? " " : character;
        text.remove_prefix(character.size());
    }
    return result;
}

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
