// The dependence of a map on what the model has learned: Adebayo, Gilmer, Muelly, Goodfellow,
// Hardt, Kim: Sanity Checks for Saliency Maps (2018).

#pragma once

#include "engine/explain/methods.hpp"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Returns Spearman's rank correlation of two lists of numbers, equal ones with the mean of their
// ranks; nullopt if all numbers of one are equal, or one is not finite.
std::optional<double> rank_correlation(const at::Tensor& first, const at::Tensor& second);

// While it exists, the weights of the layer next to the scores are drawn anew, as PyTorch begins
// with them: uniformly within 1 / sqrt(inputs). Afterwards they have their bits again.
class LastLayerDrawnAnew {
public:
    explicit LastLayerDrawnAnew(const Question& question);
    LastLayerDrawnAnew(const LastLayerDrawnAnew&) = delete;
    LastLayerDrawnAnew& operator=(const LastLayerDrawnAnew&) = delete;

    // Returns whether there are such weights.
    [[nodiscard]] bool is_any() const { return !kept_.weights.empty(); }

private:
    // Weights and their copies, from which its end restores them, also when the constructor throws.
    struct Kept {
        Kept() = default;
        ~Kept();
        Kept(const Kept&) = delete;
        Kept& operator=(const Kept&) = delete;

        std::vector<at::Tensor> weights;
        std::vector<at::Tensor> copies;
    };

    Kept kept_;
};

// Computes the map again with the last layer drawn anew, and returns the rank correlation of the
// magnitudes of both, of the pixels where one of them is not 0: the black background of an image
// would make them alike. nullopt where one is the same everywhere, or no weights lead to the
// scores.
std::optional<double> dependence(const std::string& method, const Question& question,
                                 const at::Tensor& values);

}  // namespace ptp::engine
