// Assigns parameters to processes, exchanges their new values, and gathers the state.

#include "engine/optimizer/optimizer_shards.hpp"

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

constexpr std::int64_t kManyElements = 1 << 16;  // minimum of a tensor sent without copying
constexpr const char* kEntries = "parameters";   // in the record: see saved_optimizer.hpp

// Returns the parameter's part of a tensor's name: "net.weight/exp_avg".
std::string parameter_of(const std::string& tensor) {
    return tensor.substr(0, tensor.rfind('/'));
}

}  // namespace

// Each parameter is assigned to the process with the fewest elements so far.
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
            const at::Tensor& tensor = parameters_[i].tensor;
            if (owners_[i] == rank && tensor.numel() >= kManyElements) {
                group_.broadcast(tensor.detach(), "the exchange of parameters", rank);
            } else if (owners_[i] == rank) {
                owned.push_back(tensor);
            }
        }
        broadcast_all(group_, owned, "the exchange of parameters", rank);
    }
}

// One process after the other: their states together are as large as the model.
SavedState OptimizerShards::gathered(SavedState saved) const {
    saved = own_part(std::move(saved));
    for (std::uint64_t rank = 1; rank < group_.size(); ++rank) {
        const std::vector<std::string> all =
            group_.gather(group_.rank() == rank ? packed_state(saved) : std::string(),
                          "the gathering of the optimizer's state");
        if (all.empty()) {
            continue;  // only the first process receives it
        }
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
