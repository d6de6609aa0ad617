// Transforms against numbers of another implementation, in tests/golden/transforms.txt.
#pragma once

#include "golden_check.hpp"
#include "support.hpp"
#include "support/golden.hpp"

#include <string>

namespace test {

// Compares what the transform makes of `inputs` with the line "NAME.outputs", and the gradient of
// sum(outputs * wave(2)) with "NAME.gradient.inputs".
inline void check_transform(Component& component, const std::string& name,
                            const at::Tensor& inputs) {
    CAPTURE(name);
    const at::Tensor source = inputs.clone().requires_grad_(true);
    Slots slots;
    slots.emplace("inputs", source);
    const at::Tensor outputs = component.run(std::move(slots)).at("outputs").tensor();
    (outputs * wave(outputs.sizes(), 2)).sum().backward();
    const auto near = [](const at::Tensor& found, const std::string& line) {
        const auto wanted = ptp::test::golden("transforms", line);
        return torch::allclose(found.flatten().to(torch::kDouble),
                               torch::tensor(wanted, torch::kDouble), 1e-5, 1e-6);
    };
    CHECK(near(outputs, name + ".outputs"));
    CHECK(near(source.grad(), name + ".gradient.inputs"));
}

// The error of making it with these settings.
struct WrongSettings {
    const char* settings;
    const char* message;
};

}  // namespace test
