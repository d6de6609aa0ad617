// How fast the engine trains, against a loop written by hand: the same net, batch, data and
// optimizer, in turns in one process. Prints the ratio of the medians.
//
//   ptp-bench-lenet5 [ROUNDS] [EPISODES]

#include "bench/rates.hpp"
#include "bench/training_engine.hpp"
#include "engine/train/process_setup.hpp"

#include <torch/torch.h>

#include <cstdlib>
#include <utility>

namespace {

namespace engine = ptp::engine;
using ptp::bench::TrainingEngine;

struct LeNet5 : torch::nn::Module {
    LeNet5() {
        register_module("conv1", conv1);
        register_module("conv2", conv2);
        register_module("conv3", conv3);
        register_module("linear1", linear1);
        register_module("linear2", linear2);
    }
    torch::Tensor forward(torch::Tensor x) {  // [B, 1, 32, 32] -> [B, 10]
        x = torch::max_pool2d(torch::relu(conv1(x)), 2);
        x = torch::max_pool2d(torch::relu(conv2(x)), 2);
        x = torch::relu(conv3(x)).flatten(1);
        return torch::log_softmax(linear2(torch::relu(linear1(x))), 1);
    }
    torch::nn::Conv2d conv1{torch::nn::Conv2dOptions(1, 6, 5)};
    torch::nn::Conv2d conv2{torch::nn::Conv2dOptions(6, 16, 5)};
    torch::nn::Conv2d conv3{torch::nn::Conv2dOptions(16, 120, 5)};
    torch::nn::Linear linear1{120, 84};
    torch::nn::Linear linear2{84, 10};
};

// The loop a person would write: all images in one tensor, a permutation, index_select.
class ByHand {
public:
    ByHand(torch::Tensor images, torch::Tensor targets)
        : images_(std::move(images)),
          targets_(std::move(targets)),
          optimizer_(net_.parameters(), torch::optim::AdamOptions(0.001)) {}

    void run(int episodes) {
        for (int i = 0; i < episodes; ++i) {
            if (at_ + 64 > images_.size(0)) {
                order_ = torch::randperm(images_.size(0));
                at_ = 0;
            }
            const torch::Tensor chosen = order_.slice(0, at_, at_ + 64);
            at_ += 64;
            optimizer_.zero_grad();
            const torch::Tensor loss = torch::nll_loss(
                net_.forward(images_.index_select(0, chosen)), targets_.index_select(0, chosen));
            loss.backward();
            optimizer_.step();
            loss_ = loss.item<double>();
        }
    }

private:
    torch::Tensor images_;
    torch::Tensor targets_;
    LeNet5 net_;
    torch::optim::Adam optimizer_;
    torch::Tensor order_ = torch::randperm(images_.size(0));
    int64_t at_ = 0;
    double loss_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
    const int episodes = argc > 2 ? std::atoi(argv[2]) : 100;
    engine::keep_freed_memory();
    engine::bind_blas_threads();

    TrainingEngine by_engine(ptp::bench::kLenet5);
    ByHand by_hand(by_engine.samples("inputs"), by_engine.samples("targets"));
    by_hand.run(30);
    by_engine.run(30);
    ptp::bench::compare("LeNet-5, batch 64, Adam", by_hand, by_engine, rounds, episodes);
    return 0;
}
