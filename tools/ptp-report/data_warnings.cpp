// Compares the first section of an experiment's data with each other one.

#include "ptp-report/sections.hpp"

#include "ptp-report/checked_json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ptp::report {

namespace {

constexpr double kMinShift = 0.1;   // of the mean, in deviations
constexpr double kMinShare = 0.02;  // by which the share of a class differs
constexpr double kErrors = 3;       // standard errors beyond that
constexpr double kExpected = 10;    // samples of a class that is missing

std::optional<double> real_of(const Json& json, const char* key) {
    const Json number = finite_in(json, key);
    return number.is_null() ? std::nullopt : std::optional(number.get<double>());
}

const Json* stream_named(const Json& section, const std::string& name) {
    for (const Json& stream : list_in(section, "streams")) {
        if (text_in(stream, "name") == name) {
            return &stream;
        }
    }
    return nullptr;
}

// One stream in two sections.
struct Pair {
    const Json& first;
    const Json& second;
    std::string of_first;  // "training"
    std::string place;     // "test, inputs"
    double first_count = 1;
    double second_count = 1;
};

void compare_forms(const Pair& pair, std::vector<std::string>& warnings) {
    for (const char* key : {"type", "shape"}) {
        const std::string first = text_in(pair.first, key);
        const std::string second = text_in(pair.second, key);
        if (first != second) {
            warnings.push_back(fmt::format("{}: the {} is {}, in {} {}", pair.place, key, second,
                                           pair.of_first, first));
        }
    }
}

void compare_means(const Pair& pair, std::vector<std::string>& warnings) {
    for (const char* spread : {"numbers", "lengths"}) {
        const Json& first = member_of(pair.first, spread);
        const Json& second = member_of(pair.second, spread);
        const auto [a, b] = std::pair(real_of(first, "mean"), real_of(second, "mean"));
        const double da = real_of(first, "deviation").value_or(0);
        const double db = real_of(second, "deviation").value_or(0);
        if (!a || !b) {
            continue;
        }
        const double error = std::sqrt(da * da / pair.first_count + db * db / pair.second_count);
        if (std::abs(*a - *b) > kMinShift * std::max(da, db) + kErrors * error) {
            warnings.push_back(
                fmt::format("{}: the mean is {:.4g}, in {} {:.4g} (deviation {:.4g})", pair.place,
                            *b, pair.of_first, *a, da));
        }
    }
}

struct Counts {
    const Json& values;  // value -> count
    double total = 0;

    [[nodiscard]] double share_of(const std::string& value) const {
        return total > 0 ? real_of(values, value.c_str()).value_or(0) / total : 0;
    }
};

Counts counts_of(const Json& stream) {
    Counts counts{member_of(stream, "values")};
    for (auto one = counts.values.begin(); counts.values.is_object() && one != counts.values.end();
         ++one) {
        counts.total += one->is_number() ? one->get<double>() : 0;
    }
    return counts;
}

void compare_classes(const Pair& pair, std::vector<std::string>& warnings) {
    const Counts first = counts_of(pair.first);
    const Counts second = counts_of(pair.second);
    std::vector<std::string> values;
    for (const Counts* counts : {&first, &second}) {
        for (auto one = counts->values.begin(); one != counts->values.end(); ++one) {
            values.push_back(one.key());
        }
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (const std::string& value : values) {
        const double a = first.share_of(value);
        const double b = second.share_of(value);
        const double all = (a * first.total + b * second.total) / (first.total + second.total);
        const double error = std::sqrt(all * (1 - all) * (1 / first.total + 1 / second.total));
        if (a == 0) {
            warnings.push_back(
                fmt::format("{}: {} is not in {}", pair.place, harmless(value), pair.of_first));
        } else if (b == 0 && a * second.total >= kExpected) {
            warnings.push_back(fmt::format("{}: has no {}, which is {:.1f} % of {}", pair.place,
                                           harmless(value), 100 * a, pair.of_first));
        } else if (std::abs(a - b) > kMinShare + kErrors * error) {
            warnings.push_back(fmt::format("{}: {:.1f} % are {}, in {} {:.1f} %", pair.place,
                                           100 * b, harmless(value), pair.of_first, 100 * a));
        }
    }
}

// Returns whether the values are classes: they repeat.
bool has_classes(const Json& stream) {
    const Counts counts = counts_of(stream);
    return counts.total > 0 && 2 * static_cast<double>(counts.values.size()) <= counts.total;
}

void compare_sections(const Json& first, const Json& other, std::vector<std::string>& warnings) {
    const auto count = [](const Json& section) {
        return std::max(1.0, real_of(section, "read").value_or(1));
    };
    for (const Json& stream : list_in(first, "streams")) {
        const std::string name = text_in(stream, "name");
        const Json* const same = stream_named(other, name);
        if (same == nullptr) {
            continue;
        }
        const Pair pair{stream,
                        *same,
                        text_in(first, "section"),
                        text_in(other, "section") + ", " + name,
                        count(first),
                        count(other)};
        compare_forms(pair, warnings);
        if (has_classes(stream) && has_classes(*same)) {
            compare_classes(pair, warnings);
        } else if (!has_classes(stream) && !has_classes(*same)) {
            compare_means(pair, warnings);
        }
    }
}

}  // namespace

std::vector<std::string> data_warnings(const Json& data) {
    constexpr std::size_t kMaxWarnings = 50;
    std::vector<std::string> warnings;
    const Json& sections = list_in(data, "sections");
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const std::string name = text_in(sections[i], "section");
        for (const Json& stream : list_in(sections[i], "streams")) {
            if (const double numbers = real_of(stream, "not_finite").value_or(0); numbers > 0) {
                warnings.push_back(fmt::format("{}, {}: {:.0f} numbers are not finite", name,
                                               text_in(stream, "name"), numbers));
            }
        }
        if (i > 0) {
            compare_sections(sections[0], sections[i], warnings);
        }
    }
    for (const Json& equal : list_in(data, "equal")) {
        const std::string first = text_in(equal, "first");
        const std::string second = text_in(equal, "second");
        warnings.push_back(fmt::format("{}: {:.0f} samples are equal to {}", second,
                                       real_of(equal, "count").value_or(0),
                                       first == second ? "others" : "samples of " + first));
    }
    if (warnings.size() > kMaxWarnings) {
        const std::size_t more = warnings.size() - kMaxWarnings;
        warnings.resize(kMaxWarnings);
        warnings.push_back(fmt::format("and {} more", more));
    }
    return warnings;
}

}  // namespace ptp::report
