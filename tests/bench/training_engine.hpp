// An experiment as the engine trains it, for the benchmarks.
#pragma once

#include "engine/component/plugins.hpp"
#include "engine/data/pass.hpp"
#include "engine/swap/swapper.hpp"
#include "engine/train/training_episode.hpp"
#include "engine/train/training_session.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/plan.hpp"
#include "plugin/catalog.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ptp::bench {

// LeNet-5 on Fashion-MNIST.
inline constexpr const char* kLenet5 = R"(
seed = 1
[training]
optimizer = { type = "Adam", lr = 0.001 }
sampler = { type = "SubsetSequentialSampler", indices = [0, 12800] }
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

class TrainingEngine {
public:
    // Of the text of an experiment. Throws std::runtime_error where it is wrong, or where the data
    // or the plugins are not there.
    explicit TrainingEngine(const std::string& experiment);

    void run(int episodes);

    // What the task writes to the stream, of all samples of an epoch: [N, ...].
    at::Tensor samples(const std::string& stream);

    // What is trained, in the order of the pipeline.
    [[nodiscard]] std::vector<at::Tensor> parameters() const;

    [[nodiscard]] engine::TrainingSession& session() { return *session_; }

    // For exchanging its plugins between two calls of run().
    [[nodiscard]] engine::Swapper::Parts swapper_parts() {
        return {*session_, *plugins_, plan_, *component_context_};
    }
    [[nodiscard]] const engine::Plugins& plugins() const { return *plugins_; }
    [[nodiscard]] experiment::Experiment& experiment() { return experiment_; }
    [[nodiscard]] engine::TrainingPosition place() const {
        return {episode_, epoch_, pass_ ? pass_->batch_index() + 1 : 0};
    }
    [[nodiscard]] std::filesystem::path run_folder() const { return folder_.path() / "run"; }

private:
    test::TempFolder folder_;
    plugin::Catalog catalog_;
    experiment::Experiment experiment_;
    pipeline::Plan plan_;
    std::unique_ptr<engine::Plugins> plugins_;
    engine::Globals globals_;
    std::unique_ptr<engine::ComponentContext> component_context_;
    engine::Collective alone_;
    std::unique_ptr<engine::TrainingSession> session_;
    std::unique_ptr<engine::TrainingEpisode> step_;
    std::unique_ptr<engine::Pass> pass_;
    std::uint64_t epoch_ = 0;
    std::uint64_t episode_ = 0;
};

}  // namespace ptp::bench
