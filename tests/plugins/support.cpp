#include "support.hpp"

#include "support/paths.hpp"

#include <ptp/testing/toml.hpp>

namespace test {

Component build(const std::string& plugin, std::string_view type, std::string_view settings,
                Wiring wiring) {
    const auto file = ptp::test::build_dir() / "lib/ptp/plugins" / (plugin + ".so");
    return ptp::testing::Plugin(file).make(type, settings, std::move(wiring));
}

void set_by_formula(Component& component) {
    const torch::NoGradGuard no_grad;
    for (const auto& named : component.parameters()) {
        const at::Tensor k = torch::arange(named.second.numel(), torch::kDouble);
        named.second.copy_((k.cos() * 0.1).reshape(named.second.sizes()));
    }
}

std::vector<std::string> without_gradient(Component& component) {
    std::vector<std::string> names;
    for (const auto& named : component.parameters()) {
        const at::Tensor gradient = named.second.grad();
        if (!gradient.defined() || gradient.abs().sum().item<double>() == 0) {
            names.push_back(named.first);
        }
    }
    return names;
}

at::Tensor floats(const std::vector<double>& values, at::IntArrayRef shape) {
    return torch::tensor(values, torch::kDouble).to(torch::kFloat).reshape(shape);
}

at::Tensor integers(const std::vector<int64_t>& values) {
    return torch::tensor(values);
}

at::Tensor bools(const std::vector<int64_t>& values) {
    return torch::tensor(values).to(torch::kBool);
}

}  // namespace test
