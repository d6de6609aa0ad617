// The means and deviations by which a task standardizes the numbers to be predicted: its global
// `value_scales`, which the checkpoint keeps.
#pragma once

#include <ptp/error.hpp>
#include <ptp/state.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

namespace ptp::support {

// One mean and one deviation for each column.
struct ValueScales {
    std::vector<double> means;
    std::vector<double> deviations;  // over the number of rows; 1 where all rows have one value

    static constexpr auto state() {
        return std::tuple{ptp::kept("means", &ValueScales::means),
                          ptp::kept("deviations", &ValueScales::deviations)};
    }
};

// Returns the scales of a checkpoint. Throws DataError where they are none.
inline ValueScales restored_scales(const ptp::Data& saved) {
    ValueScales scales;
    ptp::restore(saved, scales);
    const auto is_finite = [](double number) { return std::isfinite(number); };
    const auto is_scale = [](double number) { return std::isfinite(number) && number > 0; };
    if (scales.means.size() != scales.deviations.size() ||
        !std::ranges::all_of(scales.means, is_finite) ||
        !std::ranges::all_of(scales.deviations, is_scale)) {
        throw ptp::DataError(
            "the saved state 'value_scales': has no finite mean and positive deviation for each "
            "column\nfix: take another checkpoint, or train again");
    }
    return scales;
}

}  // namespace ptp::support
