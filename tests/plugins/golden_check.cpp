#include "golden_check.hpp"

#include "support/golden.hpp"

namespace test {

namespace {

void check_near(const at::Tensor& found, const std::vector<double>& wanted) {
    REQUIRE(found.defined());
    REQUIRE(found.numel() == static_cast<int64_t>(wanted.size()));
    const at::Tensor numbers = torch::tensor(wanted, torch::kDouble).reshape(found.sizes());
    CAPTURE(found);
    CAPTURE(numbers);
    CHECK(torch::allclose(found.to(torch::kDouble), numbers, 1e-4, 1e-6));
}

}  // namespace

at::Tensor wave(at::IntArrayRef shape, double phase) {
    int64_t count = 1;
    for (const int64_t size : shape) {
        count *= size;
    }
    const at::Tensor k = torch::arange(count, torch::kDouble);
    return (k * 0.7 + phase).cos().to(torch::kFloat).reshape(shape);
}

void check_golden(Component& component, const std::string& file, const std::string& name,
                  const std::map<std::string, at::Tensor>& inputs,
                  const std::map<std::string, at::Tensor>& fixed_inputs) {
    set_by_formula(component);
    Slots slots;
    for (const auto& input : fixed_inputs) {
        slots.emplace(input.first, input.second);
    }
    std::map<std::string, at::Tensor> sources = component.parameters();
    for (const auto& input : inputs) {
        const at::Tensor source = input.second.clone().requires_grad_(true);
        sources.emplace(input.first, source);
        slots.emplace(input.first, source);
    }
    const at::Tensor outputs = component.run(std::move(slots)).begin()->second.tensor();
    (outputs * wave(outputs.sizes(), 2)).sum().backward();

    CAPTURE(name);
    check_near(outputs, ptp::test::golden(file, name + ".outputs"));
    for (const auto& source : sources) {
        CAPTURE(source.first);
        check_near(source.second.grad(),
                   ptp::test::golden(file, name + ".gradient." + source.first));
    }
}

}  // namespace test
