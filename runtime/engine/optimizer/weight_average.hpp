// An exponential moving average of the weights: after each step of the optimizer
// average <- decay * average + (1 - decay) * weight.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/optimizer/gradients.hpp"
#include "experiment/optimization.hpp"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ptp::engine {

// [main]
class WeightAverage {
public:
    WeightAverage(const experiment::WeightAverage& options, std::vector<NamedParameter> parameters);

    // Called after a step. The average begins with the weights after the first step from the start
    // episode on.
    void update(std::uint64_t episode);

    [[nodiscard]] bool has_begun() const { return !averages_.empty(); }

    [[nodiscard]] SavedState save() const;
    // Throws RunError with kDataError if it was saved for other parameters, and changes nothing.
    void restore(const SavedState& saved);

    // While it exists, the parameters hold the averages; then they have their own bits again. Does
    // nothing for nullptr, or an average that has not begun.
    class InPlace {
    public:
        explicit InPlace(const WeightAverage* average);
        ~InPlace();
        InPlace(const InPlace&) = delete;
        InPlace& operator=(const InPlace&) = delete;

    private:
        const WeightAverage* average_;
        std::vector<at::Tensor> weights_;
    };

private:
    experiment::WeightAverage options_;
    std::vector<NamedParameter> parameters_;
    std::vector<at::Tensor> averages_;  // one for each parameter, or empty before it begins
};

}  // namespace ptp::engine
