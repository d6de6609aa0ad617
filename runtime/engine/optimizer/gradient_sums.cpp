// Accumulates gradients of weighted losses, and saves the sums of several processes.

#include "engine/optimizer/gradient_sums.hpp"

#include "base/ranges.hpp"
#include "engine/distributed/packed_state.hpp"
#include "engine/optimizer/saved_optimizer.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kWeights = "weights";

std::vector<double> weights_in(const SavedState& sums) {
    return transformed(run::items_in(sums.record, kWeights), [](const Value& weight) {
        return weight.is_number() ? weight.as_real() : 0;
    });
}

void set_weights(SavedState& sums, const std::vector<double>& weights) {
    sums.record.set(kWeights, Value::list({weights.begin(), weights.end()}));
}

void add_to(SavedState& total, const SavedState& part) {
    std::vector<double> weights = weights_in(total);
    const std::vector<double> added = weights_in(part);
    weights.resize(std::max(weights.size(), added.size()));
    for (std::size_t i = 0; i < added.size(); ++i) {
        weights[i] += added[i];
    }
    set_weights(total, weights);
    for (const auto& [name, tensor] : part.tensors) {
        const auto found =
            std::ranges::find(total.tensors, name, [](const auto& entry) { return entry.first; });
        if (found == total.tensors.end()) {
            total.tensors.emplace_back(name, tensor);
        } else {
            found->second = found->second.add(tensor);
        }
    }
}

// Returns the sums with which this process continues: its own, if the same number of processes
// saved them; otherwise the first one gets the sums of all, and the others start with none.
SavedState own_sums(const SavedState& saved, const Collective& collective) {
    if (std::optional<SavedState> own = own_part(saved, collective)) {
        return *std::move(own);
    }
    SavedState own = saved;
    std::erase_if(own.tensors, [](const auto& entry) {
        return entry.first.starts_with(std::string(kRanksPart) + "/");
    });
    const std::uint64_t before = rank_count(saved);
    if (before != collective.size()) {
        collective.on_first([&] {
            for (std::uint64_t rank = 1; rank < before; ++rank) {
                add_to(own, part_of_rank(saved, rank));
            }
        });
        collective.on_others([&] {
            own.tensors.clear();
            set_weights(own, std::vector<double>(weights_in(own).size()));
        });
    }
    return own;
}

}  // namespace

GradientSums::GradientSums(std::vector<NamedParameter> parameters, Collective& collective)
    : parameters_(std::move(parameters)), collective_(collective) {}

void GradientSums::swap_gradients(Sum& sum) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        std::swap(parameters_[i].tensor.mutable_grad(), sum.gradients[i]);
    }
}

void GradientSums::differentiate(std::span<const WeightedLoss> losses, std::vector<Sum>& into) {
    into.resize(losses.size());
    for (std::size_t i = 0; i < losses.size(); ++i) {
        Sum& sum = into[i];
        sum.gradients.resize(parameters_.size());
        sum.weight += losses[i].weight;
        const bool has_loss = losses[i].loss.defined() && losses[i].loss.requires_grad();
        collective_.backward_pass(has_loss, [&] {
            if (!has_loss) {
                return;  // No sample, or nothing trained that it depends on.
            }
            const bool is_needed_again = i + 1 < losses.size();
            swap_gradients(sum);
            losses[i].loss.mul(divisor_of(losses[i].weight)).backward({}, is_needed_again);
            swap_gradients(sum);
        });
    }
}

void GradientSums::add(std::span<const WeightedLoss> losses) {
    differentiate(losses, sums_);
    ++batch_count_;
}

bool GradientSums::add_finite(std::span<const WeightedLoss> losses) {
    std::vector<Sum> batch;
    differentiate(losses, batch);
    std::vector<at::Tensor> gradients;
    for (const Sum& sum : batch) {
        std::ranges::copy_if(sum.gradients, std::back_inserter(gradients),
                             [](const at::Tensor& gradient) { return gradient.defined(); });
    }
    if (!is_finite_everywhere(are_finite(gradients))) {
        return false;
    }
    const c10::AutoGradMode without_gradients(false);
    sums_.resize(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
        sums_[i].weight += batch[i].weight;
        sums_[i].gradients.resize(parameters_.size());
        for (std::size_t p = 0; p < parameters_.size(); ++p) {
            at::Tensor& sum = sums_[i].gradients[p];
            at::Tensor& gradient = batch[i].gradients[p];
            if (!sum.defined()) {
                sum = std::move(gradient);
            } else if (gradient.defined()) {
                sum.add_(gradient);
            }
        }
    }
    ++batch_count_;
    return true;
}

bool GradientSums::is_finite_everywhere(bool is_finite) const {
    std::vector<double> bad_count = {is_finite ? 0.0 : 1.0};
    collective_.sum(bad_count, "the check of the gradients");
    return bad_count.front() == 0;
}

std::vector<double> GradientSums::whole_weights() const {
    std::vector<double> weights = transformed(sums_, &Sum::weight);
    collective_.sum(weights, "the sum of the weights of losses");
    return weights;
}

void GradientSums::take() {
    const c10::AutoGradMode without_gradients(false);
    const std::vector<double> weights = whole_weights();
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
        at::Tensor total;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            at::Tensor& gradient = sums_[i].gradients[p];
            if (gradient.defined()) {
                gradient.div_(divisor_of(weights[i]));
                total = total.defined() ? total.add_(gradient) : std::move(gradient);
            }
        }
        parameters_[p].tensor.mutable_grad() = std::move(total);
    }
    forget();
}

void GradientSums::forget() {
    sums_.clear();
    batch_count_ = 0;
}

SavedState GradientSums::save() const {
    SavedState saved;
    std::vector<Value> weights;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
        weights.emplace_back(sums_[i].weight);
        for (std::size_t p = 0; p < parameters_.size(); ++p) {
            if (sums_[i].gradients[p].defined()) {
                saved.tensors.emplace_back(fmt::format("{}/{}", i, parameters_[p].name),
                                           sums_[i].gradients[p].clone());
            }
        }
    }
    saved.record.set("batch_count", batch_count_);
    saved.record.set("weights", Value::list(std::move(weights)));
    add_ranks(saved, collective_, "the gathering of the sums of gradients",
              [&saved] { return saved; });
    return saved;
}

void GradientSums::restore(const SavedState& whole) {
    const SavedState saved = own_sums(whole, collective_);
    std::vector<Sum> sums;
    for (const double weight : weights_in(saved)) {
        sums.push_back(
            {weight,
             tensors_for(parameters_, tensors_below(saved.tensors, std::to_string(sums.size())),
                         "the saved sum of gradients", Absent::kIsUndefined)});
    }
    batch_count_ = integer_in(saved.record, "batch_count");
    sums_ = std::move(sums);
}

}  // namespace ptp::engine
