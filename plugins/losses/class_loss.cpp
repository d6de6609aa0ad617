// Computes means over classes with their weights, and checks the numbers of classes.

#include "class_loss.hpp"

#include "element_loss.hpp"
#include "tensor_checks.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace losses {

at::Tensor ClassBatch::mean(const at::Tensor& each, Mean& mean) const {
    if (!class_weights.defined()) {
        return mean.of_items(each, factors);
    }
    const at::Tensor weights = class_weights.index_select(0, classes);
    return mean.of_weighted(each, factors, weights);
}

at::Tensor class_weights(const std::vector<double>& weights, const ptp::Setup& setup) {
    if (weights.empty()) {
        return {};
    }
    if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) {
        throw ptp::ConfigError("class_weights: all are 0, so that nothing would count");
    }
    at::Tensor result = at::tensor(weights);
    if (const auto classes = setup.optional_size("classes")) {
        check_class_weights(result, *classes);
    }
    return result;
}

void check_class_weights(const at::Tensor& weights, int64_t classes) {
    if (weights.defined() && weights.size(0) != classes) {
        throw ptp::ConfigError("class_weights: ", weights.size(0),
                               " given, but the predictions have ", classes, " classes");
    }
}

std::string uncounted_text(int64_t ignore_index) {
    return ", or " + std::to_string(ignore_index) + ", which does not count";
}

ClassBatches::ClassBatches(const ClassConfig& config, const ptp::Setup& setup)
    : is_classes_first_(config.classes_first),
      ignore_index_(setup.optional_global<int64_t>("ignore_index").value_or(-100)),
      class_weights_(class_weights(config.class_weights, setup)),
      has_weight_of_0_(std::ranges::count(config.class_weights, 0.0) > 0) {
    check_masks_dims(config.num_masks_dims, config.num_targets_dims);
}

ClassBatch ClassBatches::of(const ClassInputs& inputs) {
    const at::Tensor scores = is_classes_first_ ? inputs.first_predictions->movedim(1, -1)
                                                : *inputs.predictions;  // [B, ..., C]
    const int64_t classes = scores.size(-1);
    ptp::support::require_sizes("targets", inputs.targets,
                                scores.sizes().slice(0, scores.dim() - 1),
                                "as predictions has for each class");
    check_class_weights(class_weights_, classes);
    ClassBatch batch = selected(inputs, scores);
    if (has_weight_of_0_ && !inputs.spreads_targets) {
        const at::Tensor is_out = batch.class_weights.index_select(0, batch.classes).eq(0);
        batch.scores = batch.scores.masked_fill(is_out.unsqueeze(1), 0);
    }
    return batch;
}

ClassBatch ClassBatches::selected(const ClassInputs& inputs, const at::Tensor& scores) {
    const int64_t classes = scores.size(-1);
    const at::Tensor counts = factors(inputs.counting, {"targets", inputs.targets.sizes()}, scores);
    const bool may_be_ignored = 0 <= ignore_index_ && ignore_index_ < classes;
    if (!counts.defined() && !may_be_ignored &&
        ptp::support::are_classes(inputs.targets, classes)) {
        return whole(scores, inputs.targets);
    }
    at::Tensor counted = ptp::support::widened(inputs.targets).ne(ignore_index_);
    if (counts.defined()) {
        counted = counted.logical_and(counts.gt(0));
    }
    ptp::support::require_classes({.name = "targets",
                                   .targets = inputs.targets,
                                   .counted = counted,
                                   .classes = classes,
                                   .others = uncounted_text(ignore_index_)});
    ClassBatch batch;
    batch.factors = counted.to(scores.scalar_type());
    if (counts.defined()) {
        batch.factors = batch.factors * counts;
    }
    batch.factors = batch.factors.reshape(-1);  // [B, ...] -> [N]
    const at::Tensor is_out = counted.logical_not();
    const at::Tensor targets = inputs.targets.to(at::kLong);
    batch.targets = targets.masked_fill(is_out, ignore_index_).reshape(-1);
    batch.classes = targets.masked_fill(is_out, 0).reshape(-1);
    // Copies all scores only if that changes any.
    const bool is_copied = is_out.any().item<bool>();
    batch.scores = (is_copied ? scores.masked_fill(is_out.unsqueeze(-1), 0) : scores)
                       .reshape({-1, classes});  // [B, ..., C] -> [N, C]
    batch.class_weights = class_weights_for(scores);
    return batch;
}

// Handles a batch in which all targets count, the usual case, without the passes for others.
ClassBatch ClassBatches::whole(const at::Tensor& scores, const at::Tensor& targets) {
    ClassBatch batch;
    batch.scores = scores.dim() == 2 ? scores : scores.reshape({-1, scores.size(-1)});
    batch.targets = targets.dim() == 1 && targets.scalar_type() == at::kLong
                        ? targets
                        : targets.to(at::kLong).reshape(-1);
    batch.classes = batch.targets;
    batch.class_weights = class_weights_for(scores);
    return batch;
}

at::Tensor ClassBatches::class_weights_for(const at::Tensor& scores) {
    if (class_weights_.defined()) {
        class_weights_ = class_weights_.to(scores.options().requires_grad(false));
    }
    return class_weights_;
}

}  // namespace losses
