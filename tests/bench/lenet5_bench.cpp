// How fast the engine trains, against a loop written by hand: the same net, batch, data and
// optimizer, in turns in one process. Prints the ratio of the medians.
//
//   ptp-bench-lenet5 [ROUNDS] [EPISODES]

#include "config/experiment.hpp"
#include "config/load.hpp"
#include "engine/data/pass.hpp"
#include "engine/step/plugins.hpp"
#include "engine/train/machine.hpp"
#include "engine/train/session.hpp"
#include "engine/train/training_step.hpp"
#include "pipeline/assemble.hpp"
#include "plugin/catalog.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace {

namespace engine = ptp::engine;
using Clock = std::chrono::steady_clock;

constexpr const char* kExperiment = R"(
seed = 1
[training]
optimizer = { type = "Adam", lr = 0.001 }
sampler = { type = "SubsetRandomSampler", indices = [0, 12800] }
[training.task]
type = "FashionMNIST"
batch_size = 64
resize_image = [32, 32]
[pipeline.net]
type = "LeNet5"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

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
    double loss_ = 0;

private:
    torch::Tensor images_;
    torch::Tensor targets_;
    LeNet5 net_;
    torch::optim::Adam optimizer_;
    torch::Tensor order_ = torch::randperm(images_.size(0));
    int64_t at_ = 0;
};

class ByEngine {
public:
    ByEngine(const ptp::config::Experiment& experiment, const ptp::pipeline::Plan& plan)
        : plan_(plan),
          plugins_(plan_, copies_.path()),
          surroundings_{plan_, globals_, log_, copies_.path().string(), at::kCPU, 1},
          session_(experiment, surroundings_,
                   [this](const ptp::pipeline::Node& node) -> const ptp_component_info& {
                       return plugins_.component(node);
                   }),
          step_(session_) {
        session_.statistics.reset(engine::kTrainingSet);
    }

    void run(int episodes) {
        for (int i = 0; i < episodes; ++i) {
            if (!pass_ || !pass_->next(session_.frame)) {
                pass_.reset();
                pass_ = std::make_unique<engine::Pass>(session_.training, epoch_++, true);
                pass_->next(session_.frame);
            }
            step_.forward({episode_++, epoch_}, *pass_);
            step_.learn();
        }
    }

    // All samples, for the loop by hand.
    std::pair<torch::Tensor, torch::Tensor> samples() {
        const auto& outputs = session_.components.task("training")->node().outputs;
        engine::Batch batch = session_.training.new_batch();
        std::vector<torch::Tensor> images;
        std::vector<torch::Tensor> targets;
        const engine::PassPlan pass = session_.training.plan_pass(0, true);
        for (std::uint64_t i = 0; i < session_.training.batch_count(); ++i) {
            session_.training.fetch(pass, i, batch);
            for (std::size_t o = 0; o < outputs.size(); ++o) {
                if (outputs[o].name == "inputs" || outputs[o].name == "targets") {
                    (outputs[o].name == "inputs" ? images : targets)
                        .push_back(batch.slots[o].tensor.clone());
                }
            }
        }
        return {torch::cat(images), torch::cat(targets)};
    }

private:
    ptp::test::TempFolder copies_;
    ptp::pipeline::Plan plan_;
    engine::Plugins plugins_;
    engine::Globals globals_;
    std::shared_ptr<spdlog::logger> log_ =
        std::make_shared<spdlog::logger>("bench", std::make_shared<spdlog::sinks::null_sink_mt>());
    engine::Surroundings surroundings_;
    engine::Session session_;
    engine::TrainingStep step_;
    std::unique_ptr<engine::Pass> pass_;
    std::uint64_t epoch_ = 0;
    std::uint64_t episode_ = 0;
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

    const ptp::test::TempFolder folder;
    ptp::config::Diagnostics problems;
    const auto tree =
        ptp::config::load_experiment({.file = folder.write("lenet5.toml", kExperiment)}, problems);
    const ptp::config::Experiment experiment =
        ptp::config::read_experiment(*tree, {.default_name = "bench"}, problems);
    const ptp::plugin::Catalog catalog =
        ptp::plugin::scan({ptp::test::build_dir() / "lib" / "ptp" / "plugins"});
    const auto plan = ptp::pipeline::assemble(experiment, catalog, {}, problems);
    if (!plan) {
        fmt::print(stderr, "{}\n", problems.text());
        return 2;
    }

    ByEngine by_engine(experiment, *plan);
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
