#include "engine/checkpoint/load.hpp"

#include "config/suggest.hpp"
#include "config/weights_file.hpp"
#include "engine/checkpoint/checkpoint.hpp"
#include "engine/error.hpp"

#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

namespace ptp::engine {

namespace fs = std::filesystem;

namespace {

std::string shape_text(const at::Tensor& tensor) {
    return fmt::format("{} [{}]", c10::toString(tensor.scalar_type()),
                       fmt::join(tensor.sizes().begin(), tensor.sizes().end(), ", "));
}

std::map<std::string, at::Tensor> saved_under(const Safetensors& saved,
                                              const std::string& component) {
    std::map<std::string, at::Tensor> found;
    const std::string prefix = component + ".";
    for (const auto& [name, tensor] : saved.tensors) {
        if (name.starts_with(prefix)) {
            found.emplace(name.substr(prefix.size()), tensor);
        }
    }
    return found;
}

std::string unknown_component(const Safetensors& saved, const std::string& component) {
    std::set<std::string> names;
    for (const auto& [name, tensor] : saved.tensors) {
        names.insert(name.substr(0, name.find('.')));
    }
    const std::vector<std::string> known(names.begin(), names.end());
    return fmt::format("has no tensors of '{}'{}", component, config::hint(component, known));
}

}  // namespace

void load_tensors(const Safetensors& saved, const fs::path& file, const std::string& component,
                  Instance& instance) {
    std::vector<NamedTensor> own = instance.tensors();
    std::map<std::string, at::Tensor> found = saved_under(saved, component);
    if (found.empty() && !own.empty()) {
        throw RunError(kDataError,
                       fmt::format("{}: {}", file.string(), unknown_component(saved, component)));
    }
    std::string problems;
    for (const NamedTensor& named : own) {
        const auto place = found.find(named.name);
        if (place == found.end()) {
            problems += fmt::format("\n  {}: is missing", named.name);
        } else if (place->second.sizes() != named.tensor.sizes() ||
                   place->second.scalar_type() != named.tensor.scalar_type()) {
            problems += fmt::format("\n  {}: is {} in the file, must be {}", named.name,
                                    shape_text(place->second), shape_text(named.tensor));
        }
    }
    const std::set<std::string> wanted = [&own] {
        std::set<std::string> names;
        for (const NamedTensor& named : own) {
            names.insert(named.name);
        }
        return names;
    }();
    for (const auto& [name, tensor] : found) {
        if (!wanted.contains(name)) {
            problems += fmt::format("\n  {}: {} has no such tensor", name, instance.title());
        }
    }
    if (!problems.empty()) {
        throw RunError(kDataError,
                       fmt::format("{}: the tensors of '{}' do not fit {}:{}", file.string(),
                                   component, instance.title(), problems));
    }
    const c10::AutoGradMode without_gradients(false);
    for (NamedTensor& named : own) {
        named.tensor.copy_(found.at(named.name));
    }
}

void load_component(const config::Load& load, Instance& instance) {
    const fs::path file = config::weights_file(load.file);
    try {
        load_tensors(read_safetensors(file), file, load.component, instance);
    } catch (const RunError& error) {
        const std::string place = load.place.text();
        throw RunError(error.code(), fmt::format("{}{}.load: {}", place.empty() ? "" : place + ": ",
                                                 instance.node().path, error.what()));
    }
}

}  // namespace ptp::engine
