#include "engine/optim/optimizer_shards.hpp"

#include "engine/distributed/flat_tensors.hpp"
#include "engine/distributed/packed_state.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kEntries = "parameters";  // of the record: see saved_optimizer.hpp

// The part of a tensor's name that is the parameter's: "net.weight/exp_avg".
std::string parameter_of(const std::string& tensor) {
    return tensor.substr(0, tensor.rfind('/'));
}

}  // namespace

// Each goes to the process that has the fewest elements until then.
OptimizerShards::OptimizerShards(std::vector<NamedParameter> parameters, Group& group)
    : parameters_(std::move(parameters)), group_(group) {
    std::vector<std::int64_t> loads(group.size());
    for (const NamedParameter& parameter : parameters_) {
        auto least = std::ranges::min_element(loads);
        owners_.push_back(static_cast<std::uint64_t>(least - loads.begin()));
        *least += parameter.tensor.numel();
    }
}

std::vector<at::Tensor> OptimizerShards::keep_own_gradients() const {
    std::vector<at::Tensor> others(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (owners_[i] != group_.rank()) {
            std::swap(at::Tensor(parameters_[i].tensor).mutable_grad(), others[i]);
        }
    }
    return others;
}

void OptimizerShards::exchange(const std::vector<at::Tensor>& gradients) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (gradients[i].defined()) {
            at::Tensor(parameters_[i].tensor).mutable_grad() = gradients[i];
        }
    }
    for (std::uint64_t rank = 0; rank < group_.size(); ++rank) {
        std::vector<at::Tensor> owned;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (owners_[i] == rank) {
                owned.push_back(parameters_[i].tensor);
            }
        }
        broadcast_all(group_, owned, "the exchange of parameters", rank);
    }
}

SavedState OptimizerShards::gathered(SavedState saved) const {
    saved = own_part(std::move(saved));
    const std::vector<std::string> all =
        group_.gather(packed_state(saved), "the gathering of the optimizer's state");
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        SavedState part = unpacked_state(all[rank]);
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const std::string& name = parameters_[i].name;
            if (owners_[i] == rank) {
                saved.record.find(kEntries)->set(name, *part.record.find(kEntries)->find(name));
            }
        }
        std::ranges::move(part.tensors, std::back_inserter(saved.tensors));
    }
    return saved;
}

SavedState OptimizerShards::own_part(SavedState saved) const {
    std::set<std::string> others;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (owners_[i] != group_.rank()) {
            others.insert(parameters_[i].name);
        }
    }
    Value* entries = saved.record.find(kEntries);
    for (const std::string& name : others) {
        if (entries != nullptr && entries->find(name) != nullptr) {
            entries->set(name, Value());
        }
    }
    std::erase_if(saved.tensors,
                  [&](const auto& named) { return others.contains(parameter_of(named.first)); });
    return saved;
}

}  // namespace ptp::engine
