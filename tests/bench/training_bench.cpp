// How fast the engine trains three networks, against loops written by hand on libtorch: the same
// weights at the beginning, batches and optimizer, in turns in one process. Prints a table of
// medians, also of the CPU time of the thread that trains, which other programs change less, and
// how much the weights differ after some episodes.
//
//   ptp-bench-training [--rounds N] [--threads N]... [--net NAME] [--json FILE]
//                      [--compare BASELINE]
//
// Without --threads it takes one thread, and two where there are as many cores. --net takes those
// whose name begins so: LeNet, MLP or ResNet. --json writes the results to a file, which --compare
// reads as a baseline: it fails where the engine has lost a tenth against the loop by hand, and
// does so again when it is measured twice more.

#include "bench/baseline.hpp"
#include "bench/nets.hpp"
#include "bench/rates.hpp"
#include "bench/training_engine.hpp"
#include "engine/train/process_setup.hpp"
#include "experiment/libtorch_version.hpp"
#include "support/temp_folder.hpp"

#include <fmt/core.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using ptp::bench::kLenet5;
using ptp::bench::Result;
using ptp::bench::TrainingEngine;

constexpr int kCompared = 5;  // episodes before the weights are compared
constexpr int kRepeated = 2;  // measurements of what is worse than its baseline

constexpr const char* kMlp = R"(
seed = 1
[training]
optimizer = { type = "Adam", lr = 0.001 }
sampler = { type = "SubsetSequentialSampler", indices = [0, 12800] }
[training.task]
type = "FashionMNIST"
batch_size = 16
[pipeline.flatten]
type = "ReshapeTensor"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 784]
streams = { outputs = "pixels" }
[pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [128]
streams = { inputs = "pixels" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
)";

constexpr const char* kResNet18 = R"(
seed = 1
[training]
optimizer = {{ type = "Adam", lr = 0.001 }}
sampler = {{ type = "SubsetSequentialSampler", indices = [0, 640] }}
[training.task]
type = "CIFAR10"
batch_size = 32
data_folder = "{}"
[pipeline.encoder]
type = "GenericImageEncoder"
model_type = "resnet18"
globals = {{ output_size = "num_classes" }}
streams = {{ outputs = "scores" }}
[pipeline.loss]
type = "CrossEntropyLoss"
streams = {{ predictions = "scores" }}
)";

// Images of noise, in the files that CIFAR-10 has.
void write_images(const ptp::test::TempFolder& folder) {
    constexpr int kImages = 160;  // of a file
    constexpr int kBytes = 3 * 32 * 32;
    std::uint32_t state = 1;
    const auto file = [&](const std::string& name) {
        std::string bytes;
        for (int i = 0; i < kImages; ++i) {
            bytes.push_back(static_cast<char>(i % 10));
            for (int k = 0; k < kBytes; ++k) {
                state = state * 1664525 + 1013904223;
                bytes.push_back(static_cast<char>(state >> 24));
            }
        }
        folder.write(name, bytes);
    };
    for (int i = 1; i <= 5; ++i) {
        file(fmt::format("data_batch_{}.bin", i));
    }
    file("test_batch.bin");
}

// The loop a person would write: all images in one tensor, an order, index_select.
template <class Net>
class ByHand {
public:
    ByHand(TrainingEngine& engine, std::int64_t batch)
        : batch_(batch),
          images_(engine.samples("inputs")),
          targets_(engine.samples("targets")),
          order_(torch::arange(images_.size(0))),
          optimizer_(net_.parameters(), torch::optim::AdamOptions(0.001)) {
        const torch::NoGradGuard no_grad;
        const std::vector<torch::Tensor> first = engine.parameters();
        const std::vector<torch::Tensor> own = net_.parameters();
        if (first.size() != own.size()) {
            throw std::runtime_error("the models are not the same");
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            own[i].copy_(first[i]);
        }
    }

    void run(int episodes) {
        for (int i = 0; i < episodes; ++i) {
            if (at_ + batch_ > images_.size(0)) {
                at_ = 0;
            }
            const torch::Tensor chosen = order_.slice(0, at_, at_ + batch_);
            at_ += batch_;
            optimizer_.zero_grad();
            const torch::Tensor loss = torch::nll_loss(
                net_.forward(images_.index_select(0, chosen)), targets_.index_select(0, chosen));
            loss.backward();
            optimizer_.step();
            loss_ = loss.template item<double>();
        }
    }

    // Of any weight from the engine's, as a share of the largest one.
    double difference(const TrainingEngine& engine) const {
        const torch::NoGradGuard no_grad;
        const std::vector<torch::Tensor> others = engine.parameters();
        const std::vector<torch::Tensor> own = net_.parameters();
        double difference = 0;
        double largest = 0;
        for (std::size_t i = 0; i < own.size(); ++i) {
            difference =
                std::max(difference, (own[i] - others[i]).abs().max().template item<double>());
            largest = std::max(largest, own[i].abs().max().template item<double>());
        }
        return difference / largest;
    }

private:
    std::int64_t batch_;
    torch::Tensor images_;
    torch::Tensor targets_;
    torch::Tensor order_;
    Net net_;
    torch::optim::Adam optimizer_;
    std::int64_t at_ = 0;
    double loss_ = 0;
};

// One network in both loops; measured as often as wanted.
class Contest {
public:
    virtual ~Contest() = default;
    [[nodiscard]] virtual Result measure(int threads, int rounds) = 0;
};

template <class Net>
class ContestOf final : public Contest {
public:
    ContestOf(std::string title, const std::string& experiment, std::int64_t batch, int episodes)
        : title_(fmt::format("{}, batch {}", title, batch)),
          episodes_(episodes),
          by_engine_(experiment),
          by_hand_(by_engine_, batch) {
        by_hand_.run(kCompared);
        by_engine_.run(kCompared);
        difference_ = by_hand_.difference(by_engine_);
    }

    Result measure(int threads, int rounds) override {
        at::set_num_threads(threads);
        ptp::engine::bind_blas_threads();
        ptp::bench::Rates hand;
        ptp::bench::Rates engine;
        by_hand_.run(episodes_ / 4 + 1);
        by_engine_.run(episodes_ / 4 + 1);
        for (int i = 0; i < rounds; ++i) {
            // The second of the two may find the processor warmer.
            if (i % 2 == 0) {
                ptp::bench::measure(by_hand_, episodes_, hand);
                ptp::bench::measure(by_engine_, episodes_, engine);
            } else {
                ptp::bench::measure(by_engine_, episodes_, engine);
                ptp::bench::measure(by_hand_, episodes_, hand);
            }
        }
        const Result result{title_, threads, 1e3 / ptp::bench::median(hand.by_clock),
                            1e3 / ptp::bench::median(engine.by_clock)};
        fmt::print(
            "| {:<28} | {:>7} | {:>10.3f} | {:>10.3f} | {:>5.2f} | {:>16} | {:>8.2f} | {:>7.1e} |\n",
            title_, threads, result.by_hand_ms, result.engine_ms, result.ratio(),
            range(hand, engine),
            ptp::bench::median(engine.by_cpu) / ptp::bench::median(hand.by_cpu), difference_);
        std::fflush(stdout);
        return result;
    }

private:
    // Of the ratios of single rounds.
    static std::string range(const ptp::bench::Rates& hand, const ptp::bench::Rates& engine) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < hand.by_clock.size(); ++i) {
            ratios.push_back(engine.by_clock[i] / hand.by_clock[i]);
        }
        std::ranges::sort(ratios);
        return fmt::format("{:.2f} to {:.2f}", ratios.front(), ratios.back());
    }

    std::string title_;
    int episodes_;  // of a round
    TrainingEngine by_engine_;
    ByHand<Net> by_hand_;
    double difference_ = 0;
};

struct Options {
    int rounds = 9;
    std::vector<int> threads;
    std::string net;  // what the names of those begin with that are measured
    std::string json;
    std::string baseline;
};

Options options_of(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        const std::string value = i + 1 < argc ? argv[i + 1] : "";
        if (name == "--json" && !value.empty()) {
            options.json = value;
        } else if (name == "--net" && !value.empty()) {
            options.net = value;
        } else if (name == "--compare" && !value.empty()) {
            options.baseline = value;
        } else if (name == "--rounds" && std::atoi(value.c_str()) > 0) {
            options.rounds = std::atoi(value.c_str());
        } else if (name == "--threads" && std::atoi(value.c_str()) > 0) {
            options.threads.push_back(std::atoi(value.c_str()));
        } else {
            throw std::runtime_error(
                "usage: ptp-bench-training [--rounds N] [--threads N]... [--net NAME] [--json FILE] "
                "[--compare BASELINE]");
        }
    }
    if (options.threads.empty()) {
        options.threads =
            std::thread::hardware_concurrency() > 1 ? std::vector{1, 2} : std::vector{1};
    }
    return options;
}

// Measures again what seems to be worse. Returns what still is, in each measurement.
std::vector<std::string> losses(const std::vector<Result>& results,
                                const std::vector<Result>& baseline,
                                const std::function<Result(std::size_t)>& measure_again) {
    std::vector<std::string> lost;
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::string loss = loss_of(results[i], baseline);
        for (int k = 0; k < kRepeated && !loss.empty(); ++k) {
            loss = loss_of(measure_again(i), baseline);
        }
        if (!loss.empty()) {
            lost.push_back(std::move(loss));
        }
    }
    return lost;
}

int run(const Options& options) {
    const std::vector<Result> baseline = options.baseline.empty()
                                             ? std::vector<Result>()
                                             : ptp::bench::read_results(options.baseline);
    const std::string system =
        fmt::format("libtorch {}, {} cores", ptp::experiment::libtorch_version(),
                    std::thread::hardware_concurrency());
    fmt::print("milliseconds of a step with Adam, medians of {} rounds; {}\n", options.rounds,
               system);
    fmt::print("| {:<28} | {:>7} | {:>10} | {:>10} | {:>5} | {:>16} | {:>8} | {:>7} |\n", "net",
               "threads", "by hand", "engine", "ratio", "of rounds", "CPU time", "weights");
    fmt::print("|{0:-<30}|{0:-<8}:|{0:-<11}:|{0:-<11}:|{0:-<6}:|{0:-<17}:|{0:-<9}:|{0:-<8}:|\n",
               "");

    const ptp::test::TempFolder folder;
    write_images(folder);
    std::vector<std::unique_ptr<Contest>> contests;
    const auto add = [&]<class Net>(const char* title, const std::string& experiment, int batch,
                                    int episodes) {
        if (std::string_view(title).starts_with(options.net)) {
            contests.push_back(
                std::make_unique<ContestOf<Net>>(title, experiment, batch, episodes));
        }
    };
    add.operator()<ptp::bench::LeNet5>("LeNet-5", kLenet5, 64, 100);
    add.operator()<ptp::bench::Mlp>("MLP 784-128-10", kMlp, 16, 1000);
    add.operator()<ptp::bench::ResNet18>("ResNet-18, 32 x 32",
                                         fmt::format(kResNet18, folder.path().string()), 32, 5);
    if (contests.empty()) {
        throw std::runtime_error("--net " + options.net + ": the nets are LeNet, MLP and ResNet");
    }

    std::vector<Result> results;
    const auto measure = [&](std::size_t i) {
        return contests[i % contests.size()]->measure(options.threads[i / contests.size()],
                                                      options.rounds);
    };
    for (std::size_t i = 0; i < contests.size() * options.threads.size(); ++i) {
        results.push_back(measure(i));
    }
    if (!options.json.empty()) {
        ptp::bench::write_results(options.json, system, results);
    }
    const std::vector<std::string> lost = losses(results, baseline, measure);
    for (const std::string& loss : lost) {
        fmt::print(stderr, "{}\n", loss);
    }
    return lost.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        ptp::engine::set_up_process();
        return run(options_of(argc, argv));
    } catch (const std::exception& error) {
        fmt::print(stderr, "ptp-bench-training: {}\n", error.what());
        return 2;
    }
}
