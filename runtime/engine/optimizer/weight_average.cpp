// Updates the average of the weights, and exchanges it with the weights.

#include "engine/optimizer/weight_average.hpp"

#include "engine/optimizer/saved_optimizer.hpp"

#include <c10/core/GradMode.h>

#include <utility>

namespace ptp::engine {

WeightAverage::WeightAverage(const experiment::WeightAverage& options,
                             std::vector<NamedParameter> parameters)
    : options_(options), parameters_(std::move(parameters)) {}

void WeightAverage::update(std::uint64_t episode) {
    if (episode < static_cast<std::uint64_t>(options_.start_episode)) {
        return;
    }
    const c10::AutoGradMode without_gradients(false);
    const bool is_first = averages_.empty();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const at::Tensor weight = parameters_[i].tensor.detach();
        if (is_first) {
            averages_.push_back(weight.clone());
        } else {
            averages_[i].lerp_(weight, 1 - options_.decay);
        }
    }
}

SavedState WeightAverage::save() const {
    SavedState saved;
    saved.record.set("has_begun", has_begun());
    for (std::size_t i = 0; i < averages_.size(); ++i) {
        saved.tensors.emplace_back(parameters_[i].name, averages_[i].clone());
    }
    return saved;
}

void WeightAverage::restore(const SavedState& saved) {
    averages_ = saved.record.is_true_at("has_begun")
                    ? tensors_for(parameters_, saved.tensors, "the saved average of the weights")
                    : std::vector<at::Tensor>();
}

WeightAverage::InPlace::InPlace(const WeightAverage* average)
    : average_(average != nullptr && average->has_begun() ? average : nullptr) {
    if (average_ == nullptr) {
        return;
    }
    const c10::AutoGradMode without_gradients(false);
    for (std::size_t i = 0; i < average_->averages_.size(); ++i) {
        at::Tensor weight = average_->parameters_[i].tensor;
        weights_.push_back(weight.detach().clone());
        weight.copy_(average_->averages_[i]);
    }
}

WeightAverage::InPlace::~InPlace() {
    const c10::AutoGradMode without_gradients(false);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        at::Tensor weight = average_->parameters_[i].tensor;
        weight.copy_(weights_[i]);
    }
}

}  // namespace ptp::engine
