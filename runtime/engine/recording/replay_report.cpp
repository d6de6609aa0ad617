#include "engine/recording/replay_report.hpp"

#include "base/toml_writer.hpp"

#include <algorithm>
#include <utility>

namespace ptp::engine {

namespace {

constexpr std::size_t kMaxDifferences = 1000;  // that are listed
constexpr double kMillisecond = 1e-3;

double median_of(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    const std::size_t middle = numbers.size() / 2;
    return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

}  // namespace

void ReplayReport::add(const std::string& what, const std::optional<ValueDifference>& difference) {
    ++compared_;
    if (difference) {
        differ(what, *difference);
    }
}

void ReplayReport::compare(const std::string& what, const at::Tensor& recorded,
                           const at::Tensor& now) {
    add(what, difference_of(recorded, now, tolerance_));
}

void ReplayReport::compare(const std::string& what, const std::vector<std::string>& recorded,
                           const std::vector<std::string>& now) {
    add(what, difference_of(recorded, now));
}

void ReplayReport::compare(const std::string& what, const Value& recorded, const Value& now) {
    ++compared_;
    if (recorded != now) {
        differ(what, {.recorded = short_text(recorded), .now = short_text(now)});
    }
}

void ReplayReport::differ(const std::string& what, ValueDifference difference) {
    ++differing_;
    if (differences_.size() >= kMaxDifferences) {
        return;
    }
    std::vector<Value> element;
    for (const std::int64_t place : difference.element) {
        element.emplace_back(place);
    }
    differences_.push_back(Value::table({{"repeat", repeat_},
                                         {"where", where_},
                                         {"what", what},
                                         {"element", Value::list(std::move(element))},
                                         {"recorded", std::move(difference.recorded)},
                                         {"now", std::move(difference.now)},
                                         {"differing", difference.differing},
                                         {"elements", difference.elements},
                                         {"largest", difference.largest}}));
}

void ReplayReport::add_time(const std::string& call, std::chrono::duration<double> time) {
    seconds_[call].push_back(time.count());
}

Value ReplayReport::value() const {
    std::vector<Value> times;
    for (const auto& [call, seconds] : seconds_) {
        const auto [least, most] = std::ranges::minmax(seconds);
        times.push_back(Value::table({{"call", call},
                                      {"count", seconds.size()},
                                      {"median_ms", median_of(seconds) / kMillisecond},
                                      {"min_ms", least / kMillisecond},
                                      {"max_ms", most / kMillisecond}}));
    }
    return Value::table({{"compared", compared_},
                         {"differing", differing_},
                         {"differences", Value::list(differences_)},
                         {"times", Value::list(std::move(times))}});
}

}  // namespace ptp::engine
