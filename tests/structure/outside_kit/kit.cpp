// All of the testing kit, without a library for tests. Prints what is wrong, and fails.

#include <ptp/testing.hpp>
#include <ptp/testing/toml.hpp>

#include <torch/types.h>

#include <cstdio>
#include <string>

namespace {

namespace kit = ptp::testing;

int failures = 0;

void check(bool is_right, const char* what) {
    if (!is_right) {
        std::printf("wrong: %s\n", what);
        ++failures;
    }
}

}  // namespace

int main() {
    const kit::Plugin plugin(OUTSIDE_KIT);
    const kit::Wiring wiring = {.sizes = {{"feature_size", 3}}};
    const kit::Slots inputs = {{"inputs", kit::sines({4, 3})}};

    auto model = plugin.make_from("type = \"ScaleAndShift\"\ninitial_scale = 2", wiring);
    check(model.forward(kit::sines({4, 3})).equal(kit::sines({4, 3}) * 2), "twice the inputs");
    check(model.parameters().size() == 2, "two parameters");

    const kit::Wiring line_wiring = {.section = "training"};
    auto line = plugin.make("Line", "", line_wiring);
    check(line.size() == 8, "eight samples");
    const auto samples = line.fetch({0, 4});
    check(samples.at("targets").tensor().equal(torch::tensor({{-1.0f, 3.0f}, {0.0f, 3.0f}})),
          "the targets of two samples");

    auto loss = plugin.make("SquaredDistance");
    const at::Tensor targets = kit::waves({4, 3});
    const auto losses =
        kit::train(model, inputs, {.loss = [&](const kit::Slots& outputs) {
                       return loss.forward(outputs.at("predictions").tensor(), targets);
                   }});
    check(losses.size() == 11, "ten steps");
    check(losses.back() < losses.front(), "the loss falls");

    const std::string difference = kit::gradient_difference(model, inputs);
    check(difference.empty(), difference.c_str());
    return failures == 0 ? 0 : 1;
}
