// Each layer computes what the module of torch::nn with its name does, forward and backward.

#include "parity_table.hpp"
#include "plugins/support.hpp"
#include "support/paths.hpp"

#include <ptp/testing/plugin.hpp>

#include <set>

namespace parity_test {

namespace layers = test::layers;
using layers::Parity;
using layers::Reference;
using layers::Tensors;

namespace {

constexpr std::uint64_t kSeed = 5;

test::Component make(const Parity& parity) {
    test::Wiring wiring{.sizes = parity.sizes, .shapes = {{"inputs", parity.shape}}};
    if (!parity.memory.empty()) {
        wiring.optional_inputs = {"memory"};
    }
    torch::manual_seed(kSeed);
    return test::build("layers", parity.type, parity.settings, wiring);
}

bool has_parameters(const test::Component& layer) {
    return layer.has_ability(PTP_EXTENSION_PARAMETERS);
}

Tensors inputs_of(const Parity& parity) {
    torch::manual_seed(kSeed + 1);
    if (std::string(parity.type) == "Embedding") {
        return {torch::randint(5, parity.shape, torch::kLong)};
    }
    Tensors inputs{torch::randn(parity.shape)};
    if (!parity.memory.empty()) {
        inputs.push_back(torch::randn(parity.memory));
    }
    return inputs;
}

// The outputs, and the gradients of the inputs for a sum in which each number has its own weight.
Tensors outputs_and_gradients(const std::function<Tensors(const Tensors&)>& forward,
                              Tensors inputs) {
    for (at::Tensor& input : inputs) {
        input = input.detach().clone();
        input.requires_grad_(input.is_floating_point());
    }
    torch::manual_seed(kSeed + 2);  // of dropouts
    Tensors results = forward(inputs);
    at::Tensor objective = torch::zeros({});
    for (const at::Tensor& output : results) {
        const at::Tensor weights = torch::arange(output.numel(), torch::kFloat).cos();
        objective = objective + (output * weights.reshape(output.sizes())).sum();
    }
    if (objective.requires_grad()) {
        objective.backward();
    }
    for (const at::Tensor& input : inputs) {
        if (input.requires_grad()) {
            REQUIRE(input.grad().defined());
            results.push_back(input.grad());
        }
    }
    return results;
}

void check_close(const at::Tensor& tensor, const at::Tensor& expected) {
    REQUIRE(tensor.sizes() == expected.sizes());
    CHECK(torch::allclose(tensor, expected, 1e-5, 1e-6));
}

// A layer without parameters has none of torch::nn either.
void check_same_tensors(std::map<std::string, at::Tensor> tensors,
                        const torch::OrderedDict<std::string, at::Tensor>& expected) {
    CHECK(tensors.size() == expected.size());
    for (const auto& item : expected) {
        CAPTURE(item.key());
        REQUIRE(tensors.contains(item.key()));
        check_close(tensors.at(item.key()), item.value());
    }
}

void check_same_gradients(std::map<std::string, at::Tensor> parameters,
                          const torch::nn::Module& reference) {
    for (const auto& item : reference.named_parameters()) {
        CAPTURE(item.key());
        REQUIRE(item.value().grad().defined());
        check_close(parameters.at(item.key()).grad(), item.value().grad());
    }
}

}  // namespace

TEST_CASE("layers: begin with the weights of torch::nn, and have its outputs and gradients") {
    for (const Parity& parity : layers::parities()) {
        CAPTURE(parity.type);
        CAPTURE(parity.settings);
        test::Component layer = make(parity);
        torch::manual_seed(kSeed);
        const Reference reference = parity.make();
        const auto forward = [&](const Tensors& inputs) {
            test::Slots slots = {{"inputs", inputs[0]}};
            if (inputs.size() > 1) {
                slots.emplace("memory", inputs[1]);
            }
            test::Slots outputs = layer.run(slots);
            Tensors results;
            for (const std::string& name : parity.outputs) {
                results.push_back(outputs.at(name).tensor());
            }
            return results;
        };
        const auto check_same_state = [&] {
            const auto none = std::map<std::string, at::Tensor>();
            const bool has = has_parameters(layer);
            check_same_tensors(has ? layer.parameters() : none,
                               reference.module->named_parameters());
            check_same_tensors(has ? layer.buffers() : none, reference.module->named_buffers());
        };
        check_same_state();
        const Tensors inputs = inputs_of(parity);
        for (const bool is_training : {true, false}) {
            CAPTURE(is_training);
            if (layer.has_ability(PTP_EXTENSION_MODE)) {
                layer.set_training(is_training);
            }
            reference.module->train(is_training);
            const Tensors results = outputs_and_gradients(forward, inputs);
            const Tensors expected = outputs_and_gradients(reference.forward, inputs);
            REQUIRE(results.size() == expected.size());
            for (std::size_t i = 0; i < results.size(); ++i) {
                CAPTURE(i);
                check_close(results[i], expected[i]);
            }
            check_same_state();  // running means
            if (has_parameters(layer)) {
                check_same_gradients(layer.parameters(), *reference.module);
            }
        }
    }
}

TEST_CASE("layers: each of the plugin is compared in two settings, if it has settings") {
    std::map<std::string, int> count;
    for (const Parity& parity : layers::parities()) {
        ++count[parity.type];
    }
    const ptp::testing::Plugin plugin(ptp::test::build_dir() / "lib/ptp/plugins/layers.so");
    const std::set<std::string> containers = {"Concat", "LayerStack", "Residual"};
    for (std::uint32_t i = 0; i < plugin.info().component_count; ++i) {
        const ptp_component_info& info = *plugin.info().components[i];
        CAPTURE(info.name);
        const int wanted = info.setting_count == 0 ? 1 : 2;
        CHECK((containers.contains(info.name) || count[info.name] >= wanted));
    }
}

TEST_CASE("Embedding: the vector of padding_idx is 0 with any initializer") {
    auto layer = test::build("layers", "Embedding",
                             "num_embeddings = 3\nembedding_dim = 2\npadding_idx = 1\n"
                             "weight_init = \"ones\"");
    CHECK(torch::equal(layer.parameters().at("weight"), test::floats({1, 1, 0, 0, 1, 1}, {3, 2})));
}

}  // namespace parity_test
