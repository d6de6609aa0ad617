// How fast the engine trains, against a loop written by hand: the same net, batch, data and
// optimizer, in turns in one process. Prints the ratio of the medians.
//
//   ptp-bench-lenet5 [ROUNDS] [EPISODES]

#include "bench/lenet5_engine.hpp"
#include "engine/train/process_setup.hpp"

#include <fmt/core.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace {

namespace engine = ptp::engine;
using ptp::bench::Lenet5Engine;
using Clock = std::chrono::steady_clock;

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

// What the thread that trains computed, whatever else the machine did.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Rates {
    std::vector<double> by_clock;  // episodes a second
    std::vector<double> by_cpu;    // episodes a second of this thread's own time
};

template <class Loop>
void measure(Loop& loop, int episodes, Rates& rates) {
    const auto begin = Clock::now();
    const double cpu_begin = cpu_seconds();
    loop.run(episodes);
    rates.by_cpu.push_back(episodes / (cpu_seconds() - cpu_begin));
    rates.by_clock.push_back(episodes /
                             std::chrono::duration<double>(Clock::now() - begin).count());
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 9;
    const int episodes = argc > 2 ? std::atoi(argv[2]) : 100;
    engine::keep_freed_memory();
    engine::bind_blas_threads();

    Lenet5Engine by_engine;
    auto [images, targets] = by_engine.samples();
    ByHand by_hand(images, targets);
    by_hand.run(30);
    by_engine.run(30);
    Rates hand;
    Rates engine;
    std::vector<double> ratios;
    for (int i = 0; i < rounds; ++i) {
        measure(by_hand, episodes, hand);
        measure(by_engine, episodes, engine);
        ratios.push_back(engine.by_clock.back() / hand.by_clock.back());
    }
    fmt::print("LeNet-5, batch 64, Adam, {} threads, {} rounds of {} episodes\n",
               at::get_num_threads(), rounds, episodes);
    fmt::print("  by hand    {:8.1f} episodes/s (median)\n", median(hand.by_clock));
    fmt::print("  engine     {:8.1f} episodes/s (median)\n", median(engine.by_clock));
    fmt::print("  ratio      {:8.3f} of medians, {:.3f} median of rounds\n",
               median(engine.by_clock) / median(hand.by_clock), median(ratios));
    fmt::print("  CPU time   {:8.3f} of medians, of the thread that trains\n",
               median(engine.by_cpu) / median(hand.by_cpu));
    return 0;
}
