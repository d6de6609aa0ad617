// What a checkpoint costs: milliseconds, and the share of the training time at one a minute.
// LeNet-5 with Adam (62 thousand parameters) and a net of 10 million parameters.
//
//   ptp-bench-checkpoint [ROUNDS] [FOLDER]

#include "base/replace_folder.hpp"
#include "bench/training_engine.hpp"
#include "engine/checkpoint/checkpoint_file.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/train/training_state.hpp"
#include "run/hashes.hpp"

#include <fmt/core.h>
#include <spdlog/sinks/null_sink.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>

namespace {

namespace engine = ptp::engine;
namespace fs = std::filesystem;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <class Function>
double median_milliseconds(int rounds, Function function) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        function(i);
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                .count());
    }
    return median(times);
}

void print(const char* name, double milliseconds) {
    fmt::print("  {:<36} {:8.1f} ms, {:.3f} % of the time at one a minute\n", name, milliseconds,
               milliseconds / 60'000 * 100);
}

// Weights, and Adam's two moments of each.
engine::SavedState large_state() {
    engine::SavedState state;
    for (int i = 0; i < 30; ++i) {
        state.tensors.emplace_back(fmt::format("tensor{}", i), torch::rand({1'000'000}));
    }
    return state;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
    const ptp::test::TempFolder temporary;
    const fs::path folder = argc > 2 ? fs::path(argv[2]) : temporary.path();
    ptp::bench::TrainingEngine lenet5(ptp::bench::kLenet5);
    lenet5.run(10);
    spdlog::logger log("bench", std::make_shared<spdlog::sinks::null_sink_mt>());
    engine::CheckpointFolder checkpoints(folder, 2, log);
    fmt::print("checkpoints in {}, median of {}\n", folder.string(), rounds);
    print("LeNet-5, Adam", median_milliseconds(rounds, [&](int i) {
              const auto episodes = static_cast<std::uint64_t>(i);
              engine::write_checkpoint(checkpoints.folder_of(episodes),
                                       {episodes,
                                        engine::weights_of(lenet5.session().components, nullptr,
                                                           engine::Tensors::kShared),
                                        save_session(lenet5.session()),
                                        {}});
              checkpoints.publish(episodes, false);
          }));
    const engine::SavedState large = large_state();
    print("10 million parameters, Adam (120 MB)", median_milliseconds(rounds / 4 + 1, [&](int) {
              ptp::replace_folder(folder / "large", [&](const fs::path& made) {
                  engine::write_training_state(made, large);
                  ptp::run::write_hashes(made);
              });
          }));
    fs::remove_all(folder / "large");
    return 0;
}
