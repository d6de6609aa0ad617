// The parts of a saved state, as tables of its record and prefixes of its tensors' names.

#include "engine/component/saved_state.hpp"

namespace ptp::engine {

void copy_tensors(TensorsByName& tensors) {
    for (auto& [name, tensor] : tensors) {
        tensor = tensor.is_cpu() ? tensor.detach().clone() : tensor.detach().to(at::kCPU);
    }
}

void add_part(SavedState& whole, const std::string& part, SavedState saved) {
    whole.record.set(part, std::move(saved.record));
    const std::string prefix = part + "/";
    for (auto& [name, tensor] : saved.tensors) {
        whole.tensors.emplace_back(prefix + name, std::move(tensor));
    }
}

SavedState part_of(const SavedState& whole, const std::string& part) {
    return {run::value_in(whole.record, part, ValueType::kTable),
            tensors_below(whole.tensors, part)};
}

TensorsByName tensors_below(const TensorsByName& tensors, const std::string& part) {
    const std::string prefix = part + "/";
    TensorsByName found;
    for (const auto& [name, tensor] : tensors) {
        if (name.starts_with(prefix)) {
            found.emplace_back(name.substr(prefix.size()), tensor);
        }
    }
    return found;
}

}  // namespace ptp::engine
