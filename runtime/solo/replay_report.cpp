// Compares values, and lists what differs.

#include "solo/replay_report.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace ptp::solo {

namespace {

constexpr std::size_t kMaxShownText = 80;

std::vector<std::int64_t> place_of_element(std::int64_t index, at::IntArrayRef sizes) {
    std::vector<std::int64_t> place(sizes.size());
    for (std::size_t i = sizes.size(); i-- > 0;) {
        place[i] = index % sizes[i];
        index /= sizes[i];
    }
    return place;
}

// Returns a dense, contiguous tensor on the CPU with one dimension.
at::Tensor flat(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach();
    return (plain.is_sparse() ? plain.to_dense() : plain).cpu().contiguous().view({-1});
}

// Returns the value with enough digits to distinguish two numbers of its type.
std::string element_text(const at::Tensor& element) {
    if (element.scalar_type() == at::kBool) {
        return element.item<bool>() ? "true" : "false";
    }
    if (!element.is_floating_point()) {
        return fmt::format("{}", element.item<std::int64_t>());
    }
    const auto number = element.item<double>();
    return std::isnan(number)                     ? "nan"
           : element.scalar_type() == at::kDouble ? fmt::format("{}", number)
                                                  : fmt::format("{}", element.item<float>());
}

bool is_near(double recorded, double now, const ReplayTolerance& tolerance) {
    if (!std::isfinite(recorded) || !std::isfinite(now)) {
        return recorded == now || (std::isnan(recorded) && std::isnan(now));
    }
    return std::abs(now - recorded) <= tolerance.absolute + tolerance.relative * std::abs(recorded);
}

std::string quoted_text(const std::string& text) {
    return short_text(Value(is_utf8(text) ? text : "(not UTF-8)"), kMaxShownText);
}

constexpr std::size_t kMaxDifferences = 1000;  // that are listed
constexpr double kMillisecond = 1e-3;

double median_of(std::vector<double> numbers) {
    std::ranges::sort(numbers);
    const std::size_t middle = numbers.size() / 2;
    return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

}  // namespace

std::optional<ValueDifference> difference_of(const at::Tensor& recorded, const at::Tensor& now,
                                             const std::optional<ReplayTolerance>& tolerance) {
    if (!recorded.defined() && !now.defined()) {
        return std::nullopt;
    }
    if (!recorded.defined() || !now.defined() || recorded.scalar_type() != now.scalar_type() ||
        recorded.sizes() != now.sizes()) {
        return ValueDifference{.recorded = tensor_text(recorded), .now = tensor_text(now)};
    }
    const at::Tensor left = flat(recorded);
    const at::Tensor right = flat(now);
    if (left.numel() == 0 || std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) == 0) {
        return std::nullopt;
    }
    const at::Tensor left_numbers = left.to(at::kDouble);
    const at::Tensor right_numbers = right.to(at::kDouble);
    const double* const before = left_numbers.data_ptr<double>();
    const double* const after = right_numbers.data_ptr<double>();
    const auto size = static_cast<std::size_t>(left.element_size());
    ValueDifference found{.recorded = "", .now = "", .differing = 0};
    found.elements = static_cast<std::uint64_t>(left.numel());
    const bool is_rounded = tolerance && left.is_floating_point();
    for (std::int64_t i = 0; i < left.numel(); ++i) {
        const std::size_t offset = static_cast<std::size_t>(i) * size;
        const bool is_same =
            is_rounded
                ? is_near(before[i], after[i], *tolerance)
                : std::memcmp(static_cast<const char*>(left.data_ptr()) + offset,
                              static_cast<const char*>(right.data_ptr()) + offset, size) == 0;
        if (is_same) {
            continue;
        }
        if (found.differing++ == 0) {
            found.element = place_of_element(i, recorded.sizes());
            found.recorded = element_text(left[i]);
            found.now = element_text(right[i]);
        }
        found.largest = std::fmax(found.largest, std::abs(after[i] - before[i]));
    }
    return found.differing == 0 ? std::nullopt : std::optional(std::move(found));
}

std::optional<ValueDifference> difference_of(const std::vector<std::string>& recorded,
                                             const std::vector<std::string>& now) {
    if (recorded.size() != now.size()) {
        return ValueDifference{.recorded = fmt::format("{} strings", recorded.size()),
                               .now = fmt::format("{} strings", now.size())};
    }
    ValueDifference found{.recorded = "", .now = "", .differing = 0};
    found.elements = recorded.size();
    for (std::size_t i = 0; i < recorded.size(); ++i) {
        if (recorded[i] != now[i] && found.differing++ == 0) {
            found.element = {static_cast<std::int64_t>(i)};
            found.recorded = quoted_text(recorded[i]);
            found.now = quoted_text(now[i]);
        }
    }
    return found.differing == 0 ? std::nullopt : std::optional(std::move(found));
}

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

}  // namespace ptp::solo
