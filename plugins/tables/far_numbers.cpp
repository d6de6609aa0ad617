// Looks for numbers that are many deviations from the training's mean, as those of another unit
// are.

#include "far_numbers.hpp"

#include <ptp/error.hpp>

#include <array>
#include <cmath>
#include <cstdio>

namespace {

// At most one of any numbers in a hundred is ten deviations from their mean.
constexpr float kFarDeviations = 10;

std::string rounded(double number, const char* format = "%.4g") {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, number);
    return text.data();
}

// A number that is not standardized has no known mean.
bool has_known_mean(const ColumnCode& code) {
    return code.type == ColumnType::kNumber && code.mean.size() == 1 &&
           (code.mean[0] != 0 || code.deviation[0] != 1);
}

}  // namespace

std::string warning_of_far_numbers(const TableColumns& columns, const SampleNumbers& inputs) {
    const ColumnCode* farthest = nullptr;
    size_t row = 0;
    size_t far_rows = 0;
    float most = kFarDeviations;
    size_t place = 0;
    for (const ColumnCode& code : columns.features) {
        size_t count = 0;
        bool is_farthest = false;
        for (size_t at = place; has_known_mean(code) && at < inputs.numbers.size();
             at += inputs.width) {
            const float far = std::abs(inputs.numbers[at]);
            count += far >= kFarDeviations ? 1 : 0;
            if (far >= most && (farthest == nullptr || far > most)) {
                farthest = &code;
                is_farthest = true;
                most = far;
                row = at / inputs.width;
            }
        }
        far_rows = is_farthest ? count : far_rows;
        place += code.width();
    }
    if (farthest == nullptr) {
        return "";
    }
    const size_t column = static_cast<size_t>(farthest - columns.features.data());
    size_t at = row * inputs.width;
    for (size_t i = 0; i < column; ++i) {
        at += columns.features[i].width();
    }
    const double number = inputs.numbers[at] * farthest->deviation[0] + farthest->mean[0];
    return ptp::detail::join(
        "column '", farthest->name, "' = ", rounded(number), " in row ", row + 1, " is ",
        rounded(most, "%.0f"), " deviations from the mean of the training's rows, ",
        rounded(farthest->mean[0]), " with a deviation of ", rounded(farthest->deviation[0]),
        far_rows < 2    ? ""
        : far_rows == 2 ? ", and one more row is far off"
                        : ptp::detail::join(", and ", far_rows - 1, " more rows are far off"),
        ": the training had no such numbers; are they in its unit?");
}
