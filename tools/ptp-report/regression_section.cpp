// The part of a report about predicted numbers: predicted over true, and the residuals.

#include "base/file_error.hpp"
#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/samples_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ptp::report {

namespace {

constexpr std::size_t kMaxOutputs = 16;
constexpr std::size_t kBars = 40;

// One of the predicted numbers, over all samples whose target and prediction are finite.
struct Output {
    std::vector<double> targets = {};
    std::vector<double> residuals = {};  // predicted - true
};

Json histogram_of(const std::vector<double>& values) {
    const auto [low, high] = std::ranges::minmax(values);
    const double width = high > low ? (high - low) / static_cast<double>(kBars) : 1;
    std::vector<std::uint64_t> counts(high > low ? kBars : 1);
    for (const double value : values) {
        const auto bar = static_cast<std::size_t>((value - low) / width);
        ++counts[std::min(bar, counts.size() - 1)];
    }
    return {{"low", exact(low)}, {"width", exact(width)}, {"counts", counts}};
}

// Returns the measures as scikit-learn defines them; R2 is null where all targets are equal.
Json measures_of(const Output& output) {
    const auto count = static_cast<double>(output.targets.size());
    double mean = 0;
    double bias = 0;
    double squares = 0;
    double absolutes = 0;
    for (std::size_t i = 0; i < output.targets.size(); ++i) {
        mean += output.targets[i] / count;
        bias += output.residuals[i] / count;
        squares += output.residuals[i] * output.residuals[i];
        absolutes += std::abs(output.residuals[i]);
    }
    double spread = 0;
    for (const double target : output.targets) {
        spread += (target - mean) * (target - mean);
    }
    return {{"count", output.targets.size()},
            {"bias", exact(bias)},
            {"mae", exact(absolutes / count)},
            {"rmse", exact(std::sqrt(squares / count))},
            {"r2", spread > 0 ? exact(1 - squares / spread) : Json(nullptr)},
            {"histogram", histogram_of(output.residuals)}};
}

// The means and deviations by which the task has standardized the numbers; none of others.
struct Scales {
    std::vector<double> means = {};
    std::vector<double> deviations = {};

    // Returns a number of the output as the task has read it.
    [[nodiscard]] double in_its_unit(double number, std::size_t output) const {
        return means.empty() ? number : number * deviations[output] + means[output];
    }
};

Scales scales_of(const Json& judged, std::size_t width) {
    const auto numbers = [&](const char* name) {
        std::vector<double> read;
        const auto list = judged.find(name);
        for (std::size_t i = 0; list != judged.end() && list->is_array() && i < list->size(); ++i) {
            read.push_back((*list)[i].is_number() ? (*list)[i].get<double>() : std::nan(""));
        }
        return read;
    };
    Scales scales{numbers("means"), numbers("deviations")};
    return scales.means.size() == width && scales.deviations.size() == width ? scales : Scales();
}

}  // namespace

Json regression_of(const SampleFile& file, SampleColumns& columns) {
    const Json judged = judged_in(file, false);
    if (judged.is_null()) {
        return nullptr;
    }
    const std::size_t count = file.integers("index").size();
    const std::string predictions = "stream/" + judged["predictions"].get<std::string>();
    const std::string targets = "stream/" + judged["targets"].get<std::string>();
    const std::vector<float> predicted = file.reals(predictions);
    const std::vector<float> wanted = file.reals(targets);
    const std::size_t width = file.find(predictions)->width();
    if (predicted.size() != wanted.size() || predicted.size() != count * width) {
        throw FileError("has predictions or targets of other samples than its index");
    }
    const Scales scales = scales_of(judged, width);
    Json outputs = Json::array();
    for (std::size_t k = 0; k < std::min(width, kMaxOutputs); ++k) {
        Output output;
        std::vector<double>& all_targets = columns[fmt::format("target{}", k)];
        std::vector<double>& all_predicted = columns[fmt::format("predicted{}", k)];
        for (std::size_t i = 0; i < count; ++i) {
            all_targets.push_back(scales.in_its_unit(wanted[i * width + k], k));
            all_predicted.push_back(scales.in_its_unit(predicted[i * width + k], k));
            const double residual = all_predicted.back() - all_targets.back();
            if (std::isfinite(residual)) {
                output.targets.push_back(all_targets.back());
                output.residuals.push_back(residual);
            }
        }
        if (!output.targets.empty()) {
            Json one = measures_of(output);
            one["output"] = k;
            one["left_out"] = count - output.targets.size();
            outputs.push_back(std::move(one));
        }
    }
    return {{"from", harmless(judged["predictions"].get<std::string>())},
            {"loss", harmless(judged["type"].get<std::string>())},
            {"width", width},
            {"outputs", std::move(outputs)}};
}

}  // namespace ptp::report
