#include "experiment/sampler.hpp"

#include <algorithm>
#include <numeric>

namespace ptp::experiment {

std::size_t Indices::size() const {
    return is_range ? static_cast<std::size_t>(values[1] - values[0]) : values.size();
}

std::int64_t Indices::largest() const {
    return is_range ? values[1] - 1 : *std::ranges::max_element(values);
}

std::vector<std::int64_t> Indices::expanded() const {
    if (!is_range) {
        return values;
    }
    std::vector<std::int64_t> result(size());
    std::iota(result.begin(), result.end(), values[0]);
    return result;
}

Drawing Sampler::drawing() const {
    if (is_each_once) {
        return Drawing::kInOrder;
    }
    if (type == "ClassBalancedSampler") {
        return Drawing::kBalanced;
    }
    const bool is_held_out = (folds > 0 || is_split()) && part == "validation";
    if (is_held_out || type.find("Sequential") != std::string::npos) {
        return Drawing::kInOrder;
    }
    return weights ? Drawing::kWeighted : Drawing::kShuffled;
}

bool Sampler::is_stratified() const {
    return type == "StratifiedSplitSampler";
}

bool Sampler::needs_labels() const {
    return is_stratified() || drawing() == Drawing::kBalanced;
}

}  // namespace ptp::experiment
