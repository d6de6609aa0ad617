#include "engine/optim/saved_quantities.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace ptp::engine {

namespace {

std::string shape_text(at::ScalarType type, at::IntArrayRef sizes) {
    return fmt::format("{} [{}]", c10::toString(type), fmt::join(sizes.begin(), sizes.end(), ", "));
}

}  // namespace

SavedTensors::SavedTensors(const TensorsByName& tensors) : tensors_(tensors) {
    for (const auto& [name, tensor] : tensors) {
        by_name_.emplace(name, &tensor);
    }
}

const at::Tensor* SavedTensors::take(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
        return nullptr;
    }
    taken_.insert(name);
    return found->second;
}

std::vector<std::string> SavedTensors::never_taken() const {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors_) {
        if (!taken_.contains(name)) {
            names.push_back(name);
        }
    }
    return names;
}

SavedQuantities::SavedQuantities(Source source, SavedTensors& tensors, TensorRule rule)
    : source_(std::move(source)), tensors_(&tensors), rule_(std::move(rule)) {
    const Value* names = source_.table.find("tensors");
    if (names != nullptr && names->is_list()) {
        for (const Value& name : names->items()) {
            listed_.insert(name.is_string() ? name.as_string() : "");
        }
    }
}

// An integer is not taken for a real: it was not written for one.
const Value* SavedQuantities::wanted(const char* name, ValueType type) {
    const Value* value = source_.table.find(name);
    if (value == nullptr) {
        source_.problems.push_back(source_.where + name + ": is missing");
    } else if (value->type() != type) {
        source_.problems.push_back(fmt::format("{}{}: must be {}, not {}", source_.where, name,
                                               type_name(type), type_name(value->type())));
        value = nullptr;
    }
    return value;
}

void SavedQuantities::operator()(const char* name, bool& into) {
    if (const Value* value = wanted(name, ValueType::kBool)) {
        into = value->as_bool();
    }
}

void SavedQuantities::operator()(const char* name, std::int64_t& into) {
    if (const Value* value = wanted(name, ValueType::kInteger)) {
        into = value->as_integer();
    }
}

void SavedQuantities::operator()(const char* name, double& into) {
    if (const Value* value = wanted(name, ValueType::kReal)) {
        into = value->as_real();
    }
}

void SavedQuantities::operator()(const char* name, std::string& into) {
    if (const Value* value = wanted(name, ValueType::kString)) {
        into = value->as_string();
    }
}

void SavedQuantities::operator()(const char* name, std::tuple<double, double>& into) {
    const Value* value = wanted(name, ValueType::kList);
    if (value == nullptr) {
        return;
    }
    const auto& items = value->items();
    if (items.size() != 2 || !items[0].is_real() || !items[1].is_real()) {
        source_.problems.push_back(source_.where + name + ": must be a list of 2 reals");
        return;
    }
    into = {items[0].as_real(), items[1].as_real()};
}

void SavedQuantities::operator()(const char* name, at::Tensor& into) {
    if (listed_.erase(name) > 0) {
        const bool is_scalar = rule_.flat_size && std::string_view(name) == "H_diag";
        into = tensor(name, is_scalar);
    }
}

void SavedQuantities::operator()(const char* name, std::deque<at::Tensor>& into) {
    const bool is_scalar = std::string_view(name) == "ro";
    for (std::size_t i = 0; listed_.erase(fmt::format("{}.{}", name, i)) > 0; ++i) {
        into.push_back(tensor(fmt::format("{}.{}", name, i), is_scalar));
    }
}

// A copy on the parameter's device. The scalars of LBFGS begin as an integer 1, so that any type
// is right for them.
at::Tensor SavedQuantities::tensor(const std::string& name, bool is_scalar) {
    const at::Tensor* found = tensors_->take(source_.where + name);
    if (found == nullptr) {
        source_.problems.push_back(source_.where + name + ": is missing");
        return {};
    }
    const at::Tensor& parameter = rule_.parameter;
    std::vector<std::int64_t> sizes = parameter.sizes().vec();
    if (rule_.flat_size) {
        sizes = is_scalar ? std::vector<std::int64_t>() : std::vector{*rule_.flat_size};
    }
    const at::ScalarType type = is_scalar ? found->scalar_type() : parameter.scalar_type();
    if (found->sizes() != at::IntArrayRef(sizes) || found->scalar_type() != type) {
        source_.problems.push_back(
            fmt::format("{}{}: is saved as {}, must be {}", source_.where, name,
                        shape_text(found->scalar_type(), found->sizes()), shape_text(type, sizes)));
        return {};
    }
    return found->to(parameter.device(), found->scalar_type(), false, true);
}

void SavedQuantities::refuse_unknown() {
    for (const std::string& name : listed_) {
        tensors_->take(source_.where + name);
        source_.problems.push_back(source_.where + name + ": this optimizer has no such tensor");
    }
}

}  // namespace ptp::engine
