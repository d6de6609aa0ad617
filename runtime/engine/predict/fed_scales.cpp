// Compares fed numbers with the ranges that the training's have, once they are standardized.

#include "engine/predict/fed_scales.hpp"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ptp::engine {

namespace {

// A number of the task's output that it standardizes.
struct Standardized {
    std::string name;
    std::int64_t place = 0;
    double mean = 0;
    double deviation = 1;
    double least = 0;  // standardized
    double most = 0;
};

std::vector<double> reals_of(const Value* list) {
    std::vector<double> reals;
    for (const Value& one :
         list != nullptr && list->is_list() ? list->items() : std::vector<Value>()) {
        reals.push_back(one.is_number() ? one.as_real() : 0);
    }
    return reals;
}

// Returns the standardized numbers of columns that make n numbers together; none of others.
std::vector<Standardized> standardized_in(const Value& columns, std::int64_t n) {
    std::vector<Standardized> all;
    std::int64_t place = 0;
    for (const Value& column : columns.items()) {
        const Value* const name = column.is_table() ? column.find("name") : nullptr;
        const Value* const categories = name != nullptr ? column.find("categories") : nullptr;
        if (categories == nullptr || !categories->is_list() || !name->is_string()) {
            return {};
        }
        const auto mean = reals_of(column.find("mean"));
        const auto deviation = reals_of(column.find("deviation"));
        const auto range = reals_of(column.find("range"));
        const bool is_number = mean.size() == 1 && deviation.size() == 1 && range.size() == 2 &&
                               (mean[0] != 0 || deviation[0] != 1) && range[0] < range[1];
        if (is_number) {
            all.push_back({name->as_string(), place, mean[0], deviation[0],
                           (range[0] - mean[0]) / deviation[0],
                           (range[1] - mean[0]) / deviation[0]});
        }
        place += static_cast<std::int64_t>(
            categories->items().empty() ? mean.size() : categories->items().size());
    }
    return place == n ? all : std::vector<Standardized>();
}

// Returns the farthest number of a column if half of the rows are farther outside of the range than
// half of its length, or one of them is so far that no standardized number is.
std::optional<double> outside(const Standardized& column, const at::Tensor& numbers) {
    constexpr double kFarDeviations = 10;
    const at::Tensor values = numbers.select(1, column.place).to(at::kDouble);  // [B]
    const at::Tensor beyond =
        at::maximum(column.least - values, values - column.most);  // [B], above 0: outside
    const at::Tensor are_outside = beyond.gt((column.most - column.least) / 2);
    const auto count = are_outside.sum().item<std::int64_t>();
    const bool is_far = are_outside.logical_and(values.abs().ge(kFarDeviations)).any().item<bool>();
    return is_far || 2 * count >= values.numel()
               ? std::optional(values[beyond.argmax()].item<double>())
               : std::nullopt;
}

}  // namespace

std::string warning_of_raw_numbers(const std::string& stream, const at::Tensor& numbers,
                                   const Value& globals) {
    if (numbers.dim() != 2 || numbers.numel() == 0) {
        return "";
    }
    for (const Member& global : globals.members()) {
        const Value* const columns =
            global.value.is_table() ? global.value.find("features") : nullptr;
        if (columns == nullptr || !columns->is_list()) {
            continue;
        }
        for (const Standardized& one : standardized_in(*columns, numbers.size(1))) {
            if (const auto number = outside(one, numbers)) {
                return fmt::format(
                    "'{0}' has {1:g} for '{2}', and the task delivers ({2} - {3:g}) / {4:g}, from "
                    "{5:.2g} to {6:.2g} in the training: are these the numbers of the table? "
                    "`ptprun predict` reads and standardizes them",
                    stream, *number, one.name, one.mean, one.deviation, one.least, one.most);
            }
        }
    }
    return "";
}

}  // namespace ptp::engine
