#include "engine/optimizer/saved_tensors.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <map>

namespace ptp::engine {

std::string shape_text(at::ScalarType type, at::IntArrayRef sizes) {
    return fmt::format("{} [{}]", c10::toString(type), join(sizes, ", "));
}

std::string shape_text(const at::Tensor& tensor) {
    return shape_text(tensor.scalar_type(), tensor.sizes());
}

TensorsByName tensors_below(const TensorsByName& tensors, const std::string& part) {
    TensorsByName found;
    for (const auto& [name, tensor] : tensors) {
        if (name.starts_with(part + "/")) {
            found.emplace_back(name.substr(part.size() + 1), tensor);
        }
    }
    return found;
}

std::vector<at::Tensor> tensors_for(const std::vector<NamedParameter>& parameters,
                                    const TensorsByName& saved, const std::string& what,
                                    Absent absent) {
    std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
    std::vector<at::Tensor> made;
    std::string problems;
    for (const NamedParameter& parameter : parameters) {
        const auto found = by_name.find(parameter.name);
        if (found == by_name.end()) {
            if (absent == Absent::kIsRefused) {
                problems += fmt::format("\n  {}: is missing", parameter.name);
            }
            made.emplace_back();
            continue;
        }
        const at::Tensor& tensor = found->second;
        if (tensor.sizes() != parameter.tensor.sizes() ||
            tensor.scalar_type() != parameter.tensor.scalar_type()) {
            problems += fmt::format("\n  {}: is saved as {}, must be {}", parameter.name,
                                    shape_text(tensor), shape_text(parameter.tensor));
        }
        made.push_back(tensor.to(parameter.tensor.device(), tensor.scalar_type(), false, true));
        by_name.erase(found);
    }
    for (const auto& [name, tensor] : by_name) {
        problems += fmt::format("\n  {}: is not trained", name);
    }
    if (!problems.empty()) {
        throw RunError(kDataError, what + " does not fit what is trained:" + problems);
    }
    return made;
}

}  // namespace ptp::engine
