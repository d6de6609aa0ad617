// Layers of the plugin `layers` beside the modules of torch::nn that they are named after.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace test::layers {

using Tensors = std::vector<at::Tensor>;

// A module of torch::nn, and what it computes of the inputs of the layer.
struct Reference {
    std::shared_ptr<torch::nn::Module> module;
    std::function<Tensors(const Tensors&)> forward;
};

// A module that takes `inputs` alone.
template <class Module>
Reference one(Module module) {
    return {module.ptr(),
            [module](const Tensors& in) mutable { return Tensors{module->forward(in[0])}; }};
}

struct Parity {
    const char* type;
    const char* settings;
    std::vector<int64_t> shape;  // of `inputs`
    Reference (*make)();
    std::map<std::string, int64_t> sizes = {};  // that the layer asks for by name
    std::vector<int64_t> memory = {};           // the shape of `memory`, if it is wired
    std::vector<std::string> outputs = {"outputs"};
};

std::vector<Parity> parities();

// Lists the layers whose windows are padded or rounded up.
std::vector<Parity> parities_of_windows();

}  // namespace test::layers
