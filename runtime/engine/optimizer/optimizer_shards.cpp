// Assigns parameters to processes, exchanges their new values, and gathers the state.

#include "engine/optimizer/optimizer_shards.hpp"

#include "engine/distributed/flat_tensors.hpp"
#include "engine/distributed/packed_state.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

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

constexpr const char* kGathering = "the gathering of the optimizer's state";

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

SavedState OptimizerShards::gathered(SavedState saved) const {
    saved = own_part(std::move(saved));
    const std::vector<std::string> all =
        group_.gather(packed_state({saved.record, {}}), kGathering);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        SavedState part = unpacked_state(all[rank]);
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const std::string& name = parameters_[i].name;
            if (owners_[i] == rank) {
                saved.record.find(kEntries)->set(name, *part.record.find(kEntries)->find(name));
            }
        }
    }
    std::ranges::move(gathered_tensors(saved), std::back_inserter(saved.tensors));
    return saved;
}

// In the first process, gathers those of the others one by one: they are as large as the model.
TensorsByName OptimizerShards::gathered_tensors(const SavedState& own) const {
    SavedState names;  // with empty tensors of the right type
    Value sizes = Value::table();
    for (const auto& [name, tensor] : own.tensors) {
        names.tensors.emplace_back(name, at::empty({0}, tensor.scalar_type()));
        std::vector<Value> of_tensor;
        for (const std::int64_t size : tensor.sizes()) {
            of_tensor.emplace_back(size);
        }
        sizes.set(name, Value::list(std::move(of_tensor)));
    }
    names.record = std::move(sizes);
    const std::vector<std::string> all = group_.gather(packed_state(names), kGathering);
    const at::Tensor counts = at::zeros({static_cast<std::int64_t>(group_.size())}, at::kLong);
    counts[static_cast<std::int64_t>(group_.rank())] =
        static_cast<std::int64_t>(own.tensors.size());
    group_.sum(counts, kGathering);
    TensorsByName gathered;
    for (std::uint64_t rank = 1; rank < group_.size(); ++rank) {
        const SavedState of_rank = all.empty() ? SavedState{} : unpacked_state(all[rank]);
        const auto count = counts[static_cast<std::int64_t>(rank)].item<std::int64_t>();
        for (std::int64_t i = 0; i < count; ++i) {
            const auto place = static_cast<std::size_t>(i);
            at::Tensor whole = at::empty({0}, at::kByte);
            if (group_.is_first()) {
                const auto& [name, like] = of_rank.tensors[place];
                std::vector<std::int64_t> shape;
                for (const Value& size : of_rank.record.find(name)->items()) {
                    shape.push_back(size.as_integer());
                }
                whole = at::empty(shape, like.scalar_type());
                gathered.emplace_back(name, whole);
            } else if (group_.rank() == rank) {
                whole = own.tensors[place].second.cpu().contiguous();
            }
            group_.transfer(whole, rank, kGathering);
        }
    }
    return gathered;
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
