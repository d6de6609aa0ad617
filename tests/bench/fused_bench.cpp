// What the option `fused` of SGD, Adam and AdamW saves: the same net with and without it, in turns
// in one process. Prints the medians of whole training steps (forward, backward, optimizer) and of
// the optimizer's part, and the ratio of each: with one thread (OMP_NUM_THREADS=1) of its CPU time,
// which other programs hardly change, else of the clock's.
//
//   ptp-bench-fused [ROUNDS]

#include "engine/component/compat.hpp"
#include "engine/optimizer/optimizer.hpp"

#include <fmt/core.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace engine = ptp::engine;
using namespace ptp::optimizer;
namespace nn = torch::nn;

struct Net {
    std::string name;
    nn::Sequential layers;
    torch::Tensor inputs;
    int steps;  // of a round
};

// LeNet-5 as configs/fashion_mnist has it, a wide net of few tensors, and a deep one of many.
std::vector<Net> nets() {
    const auto convolution = [](int64_t from, int64_t to) {
        return nn::Conv2d(nn::Conv2dOptions(from, to, 5));
    };
    std::vector<Net> all;
    all.push_back(
        {"LeNet5",
         nn::Sequential(convolution(1, 6), nn::ReLU(), nn::MaxPool2d(2), convolution(6, 16),
                        nn::ReLU(), nn::MaxPool2d(2), convolution(16, 120), nn::ReLU(),
                        nn::Flatten(), nn::Linear(120, 84), nn::ReLU(), nn::Linear(84, 10)),
         torch::randn({64, 1, 32, 32}), 20});
    all.push_back(
        {"wide MLP",
         nn::Sequential(nn::Linear(784, 1024), nn::ReLU(), nn::Linear(1024, 1024), nn::ReLU(),
                        nn::Linear(1024, 1024), nn::ReLU(), nn::Linear(1024, 10)),
         torch::randn({64, 784}), 4});
    nn::Sequential deep(nn::Linear(784, 64));
    for (int i = 0; i < 100; ++i) {
        deep->push_back(nn::ReLU());
        deep->push_back(nn::Linear(64, 64));
    }
    all.push_back({"deep MLP", deep, torch::randn({64, 784}), 4});
    return all;
}

template <class Options>
std::pair<Any, Any> both(Options options) {
    Options fused = options;
    fused.fused = true;
    return {options, fused};
}

struct Times {
    std::vector<double> steps;       // seconds of whole steps
    std::vector<double> optimizers;  // of the optimizer's part
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

double seconds() {
    timespec now{};
    clock_gettime(at::get_num_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::unique_ptr<engine::Optimizer> optimizer_of(Net& net, const Any& options) {
    std::vector<engine::NamedParameter> parameters;
    for (const auto& item : net.layers->named_parameters()) {
        parameters.push_back({item.key(), item.value()});
    }
    return engine::make_optimizer({{"", options, std::move(parameters)}});
}

void train(Net& net, engine::Optimizer& optimizer, Times& times) {
    const torch::Tensor targets = torch::arange(64).remainder(10);
    double in_optimizer = 0;
    const double begin = seconds();
    for (int i = 0; i < net.steps; ++i) {
        optimizer.forget_gradients();
        torch::nll_loss(torch::log_softmax(net.layers->forward(net.inputs), 1), targets).backward();
        const double step = seconds();
        optimizer.step();
        in_optimizer += seconds() - step;
    }
    times.steps.push_back((seconds() - begin) / net.steps);
    times.optimizers.push_back(in_optimizer / net.steps);
}

void compare(Net& net, const std::string& name, const std::pair<Any, Any>& options, int rounds) {
    const auto plain = optimizer_of(net, options.first);
    const auto fused = optimizer_of(net, options.second);
    Times of_plain;
    Times of_fused;
    Times warm_up;
    train(net, *plain, warm_up);
    train(net, *fused, warm_up);
    for (int i = 0; i < rounds; ++i) {
        train(net, *plain, of_plain);
        train(net, *fused, of_fused);
    }
    const auto line = [](const std::vector<double>& before, const std::vector<double>& now) {
        return fmt::format("{:8.3f} {:8.3f} {:6.2f}", median(before) * 1e3, median(now) * 1e3,
                           median(now) / median(before));
    };
    fmt::print("{:<9} {:<14} {}   {}\n", net.name, name, line(of_plain.steps, of_fused.steps),
               line(of_plain.optimizers, of_fused.optimizers));
}

}  // namespace

int main(int argc, char** argv) {
    if (!engine::compat::FusedSteps::kExist) {
        fmt::print("this libtorch has no fused steps; from 2.4 on it does\n");
        return 0;
    }
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
    fmt::print(
        "batches of 64, {} threads, {} rounds; milliseconds without and with, and the ratio\n",
        at::get_num_threads(), rounds);
    fmt::print("{:<24} {:^24}   {:^24}\n", "", "training step", "its optimizer");
    for (Net& net : nets()) {
        compare(net, "SGD", both(Sgd{.lr = 1e-4}), rounds);
        compare(net, "SGD, momentum", both(Sgd{.lr = 1e-4, .momentum = 0.9}), rounds);
        compare(net, "Adam", both(Adam{.lr = 1e-5}), rounds);
        compare(net, "AdamW", both(AdamW{.lr = 1e-5}), rounds);
    }
    return 0;
}
