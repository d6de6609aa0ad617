// Continues an optimization with the tensors of newer components.

#include "engine/optimizer/optimization.hpp"

#include <cassert>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ptp::engine {

namespace {

using Names = std::set<std::string, std::less<>>;

// Returns the parameters of both that have the same shape.
Names common(const Optimizer& left, const Optimizer& right) {
    Names names;
    for (const NamedParameter& one : left.parameters()) {
        for (const NamedParameter& other : right.parameters()) {
            if (one.name == other.name && one.tensor.sizes() == other.tensor.sizes()) {
                names.insert(one.name);
            }
        }
    }
    return names;
}

// Returns the parameter's part of a tensor's name: "net.weight/exp_avg".
std::string_view before_slash(std::string_view name) {
    return name.substr(0, name.find('/'));
}

std::string_view after_slash(std::string_view name) {
    return name.substr(name.find('/') + 1);
}

void rebind_optimizer(Optimizer& optimizer, const Optimizer& old, const Names& kept) {
    SavedState saved = old.save();
    Value entries;
    for (const NamedParameter& parameter : optimizer.parameters()) {
        const bool is_kept = kept.contains(parameter.name);
        entries.set(parameter.name,
                    is_kept ? *saved.record.find("parameters")->find(parameter.name) : Value());
    }
    saved.record.set("parameters", std::move(entries));
    std::erase_if(saved.tensors,
                  [&](const auto& tensor) { return !kept.contains(before_slash(tensor.first)); });
    optimizer.restore(saved);
}

// Moves the average. A new parameter begins its average with its value.
void rebind_average(WeightAverage& average, const WeightAverage& old, const Names& kept,
                    const std::vector<NamedParameter>& parameters) {
    SavedState saved = old.save();
    std::erase_if(saved.tensors, [&](const auto& tensor) { return !kept.contains(tensor.first); });
    for (const NamedParameter& parameter : parameters) {
        if (!kept.contains(parameter.name)) {
            saved.tensors.emplace_back(parameter.name, parameter.tensor.detach().clone());
        }
    }
    average.restore(saved);
}

}  // namespace

void Optimization::rebind(const Optimization& old) {
    assert(position_.episode == 0 && bad_count_ == 0);
    const auto kept = common(*old.optimizer_, *optimizer_);
    const bool are_all_kept = kept.size() == optimizer_->parameters().size() &&
                              kept.size() == old.optimizer_->parameters().size();
    // An optimizer with a closure keeps one state for all parameters together.
    if (are_all_kept || !optimizer_->needs_closure()) {
        rebind_optimizer(*optimizer_, *old.optimizer_, kept);
    }
    optimizer_->set_base_rates(old.optimizer_->base_rates());
    learning_rate_.restore(old.learning_rate_.save());
    if (sums_) {
        SavedState saved = old.sums_->save();
        std::erase_if(saved.tensors, [&](const auto& tensor) {
            return !kept.contains(after_slash(tensor.first));
        });
        sums_->restore(saved);
    }
    if (average_ && old.average_->has_begun()) {
        rebind_average(*average_, *old.average_, kept, optimizer_->parameters());
    }
    plain_rate_ = old.plain_rate_;
    loss_scale_ = old.loss_scale_;
    position_ = old.position_;
    bad_count_ = old.bad_count_;
}

}  // namespace ptp::engine
