#include "bench/nets.hpp"

#include <ATen/ATen.h>

namespace ptp::bench {

namespace {

torch::nn::Conv2d convolution(int64_t from, int64_t to, int64_t size, int64_t stride) {
    return torch::nn::Conv2d(
        torch::nn::Conv2dOptions(from, to, size).stride(stride).padding(size / 2).bias(false));
}

struct Block : torch::nn::Module {
    Block(int64_t from, int64_t to, int64_t stride)
        : conv1(register_module("conv1", convolution(from, to, 3, stride))),
          bn1(register_module("bn1", torch::nn::BatchNorm2d(to))),
          conv2(register_module("conv2", convolution(to, to, 3, 1))),
          bn2(register_module("bn2", torch::nn::BatchNorm2d(to))) {
        if (stride != 1 || from != to) {
            shortcut->push_back(convolution(from, to, 1, stride));
            shortcut->push_back(torch::nn::BatchNorm2d(to));
            register_module("shortcut", shortcut);
        }
    }
    torch::Tensor forward(const torch::Tensor& x) {
        torch::Tensor y = bn2(conv2(bn1(conv1(x)).relu_()));
        y += shortcut->is_empty() ? x : shortcut->forward(x);
        return y.relu_();
    }
    torch::nn::Conv2d conv1;
    torch::nn::BatchNorm2d bn1;
    torch::nn::Conv2d conv2;
    torch::nn::BatchNorm2d bn2;
    torch::nn::Sequential shortcut;
};

}  // namespace

LeNet5::LeNet5() {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv3", conv3);
    register_module("linear1", linear1);
    register_module("linear2", linear2);
}

torch::Tensor LeNet5::forward(torch::Tensor x) {
    x = at::max_pool2d(conv1(x).relu(), 2);
    x = at::max_pool2d(conv2(x).relu(), 2);
    x = conv3(x).relu().flatten(1);
    return at::log_softmax(linear2(linear1(x).relu()), 1);
}

Mlp::Mlp() {
    register_module("linear1", linear1);
    register_module("linear2", linear2);
}

torch::Tensor Mlp::forward(const torch::Tensor& x) {
    return at::log_softmax(linear2(linear1(x.flatten(1)).relu()), 1);
}

ResNet18::ResNet18() : conv1(convolution(3, 64, 7, 2)) {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    int64_t from = 64;
    for (const int64_t to : {64, 128, 256, 512}) {
        blocks->push_back(Block(from, to, from == to ? 1 : 2));
        blocks->push_back(Block(to, to, 1));
        from = to;
    }
    register_module("blocks", blocks);
    register_module("output", output);
}

torch::Tensor ResNet18::forward(torch::Tensor x) {
    x = at::max_pool2d(bn1(conv1(x)).relu_(), 3, 2, 1);
    x = at::adaptive_avg_pool2d(blocks->forward(x), {1, 1});
    return at::log_softmax(output(x.flatten(1)), 1);
}

}  // namespace ptp::bench
