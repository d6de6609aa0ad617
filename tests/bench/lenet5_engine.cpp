#include "bench/lenet5_engine.hpp"

#include "experiment/load/load.hpp"
#include "pipeline/assemble.hpp"
#include "support/paths.hpp"

#include <spdlog/sinks/null_sink.h>
#include <torch/torch.h>

#include <stdexcept>
#include <vector>

namespace ptp::bench {

namespace {

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

}  // namespace

Lenet5Engine::Lenet5Engine()
    : catalog_(plugin::scan({test::build_dir() / "lib" / "ptp" / "plugins"})) {
    Diagnostics problems;
    const auto tree =
        experiment::load_experiment({.file = folder_.write("lenet5.toml", kExperiment)}, problems);
    experiment_ = experiment::read_experiment(*tree, {.default_name = "bench"}, problems);
    auto plan = pipeline::assemble(experiment_, catalog_, {}, problems);
    if (!plan) {
        throw std::runtime_error(problems.text());
    }
    plan_ = std::move(*plan);
    const auto folder = folder_.path() / "run";
    plugins_ = std::make_unique<engine::Plugins>(plan_, folder);
    auto log =
        std::make_shared<spdlog::logger>("bench", std::make_shared<spdlog::sinks::null_sink_mt>());
    component_context_ = std::make_unique<engine::ComponentContext>(
        engine::ComponentContext{plan_, globals_, std::move(log), folder.string(), at::kCPU, 1});
    session_ = std::make_unique<engine::Session>(
        experiment_, *component_context_,
        [this](const pipeline::Node& node) -> const ptp_component_info& {
            return plugins_->component(node);
        });
    step_ = std::make_unique<engine::TrainingStep>(*session_);
    session_->statistics.reset(engine::kTrainingSet);
}

void Lenet5Engine::run(int episodes) {
    for (int i = 0; i < episodes; ++i) {
        if (!pass_ || !pass_->next(session_->frame)) {
            pass_.reset();
            pass_ = std::make_unique<engine::Pass>(*session_->training, epoch_++, true);
            pass_->next(session_->frame);
        }
        step_->forward({episode_++, epoch_}, *pass_);
        step_->train_step();
    }
}

std::pair<at::Tensor, at::Tensor> Lenet5Engine::samples() {
    const auto& outputs = session_->components.task("training")->node().outputs;
    engine::Batch batch = session_->training->new_batch();
    std::vector<at::Tensor> images;
    std::vector<at::Tensor> targets;
    const engine::PassPlan pass = session_->training->plan_pass(0, true);
    for (std::uint64_t i = 0; i < session_->training->batch_count(); ++i) {
        session_->training->fetch(pass, i, batch);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            if (outputs[o].name == "inputs" || outputs[o].name == "targets") {
                (outputs[o].name == "inputs" ? images : targets)
                    .push_back(batch.slots[o].tensor.clone());
            }
        }
    }
    return {torch::cat(images), torch::cat(targets)};
}

}  // namespace ptp::bench
