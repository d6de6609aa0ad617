#include "bench/training_engine.hpp"

#include "experiment/load/load.hpp"
#include "pipeline/assemble.hpp"
#include "support/paths.hpp"

#include <spdlog/sinks/null_sink.h>
#include <torch/torch.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace ptp::bench {

TrainingEngine::TrainingEngine(const std::string& experiment)
    : catalog_(plugin::scan({test::build_dir() / "lib" / "ptp" / "plugins"})) {
    Diagnostics problems;
    const auto tree =
        experiment::load_experiment({.file = folder_.write("bench.toml", experiment)}, problems);
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
    session_ = std::make_unique<engine::TrainingSession>(experiment_, *component_context_,
                                                         *plugins_, alone_);
    step_ = std::make_unique<engine::TrainingEpisode>(*session_);
    session_->statistics.reset(engine::kTrainingSet);
}

void TrainingEngine::run(int episodes) {
    for (int i = 0; i < episodes; ++i) {
        if (!pass_ || !pass_->next(session_->frame)) {
            pass_.reset();
            pass_ = std::make_unique<engine::Pass>(*session_->training, epoch_++, true);
            pass_->next(session_->frame);
        }
        step_->forward({episode_++, epoch_}, *pass_);
        step_->backward();
        step_->step();
    }
}

at::Tensor TrainingEngine::samples(const std::string& stream) {
    engine::BatchSource& source = *session_->training;
    const auto& outputs = source.task().node().outputs;
    const auto found = std::ranges::find(outputs, stream, &pipeline::Binding::name);
    if (found == outputs.end()) {
        throw std::runtime_error("the task does not write the stream " + stream);
    }
    const auto place = static_cast<std::size_t>(found - outputs.begin());
    engine::Batch batch = source.new_batch();
    std::vector<at::Tensor> parts;
    const engine::PassPlan pass = source.plan_pass(0, true);
    for (std::uint64_t i = 0; i < source.batch_count(); ++i) {
        source.fetch(pass, i, batch);
        parts.push_back(batch.slots[place].tensor.clone());
    }
    return torch::cat(parts);
}

std::vector<at::Tensor> TrainingEngine::parameters() const {
    std::vector<at::Tensor> trained;
    for (const auto& node : session_->components.nodes) {
        for (const engine::NamedTensor& named : node->tensors()) {
            if (named.role == PTP_PARAMETER && named.tensor.requires_grad()) {
                trained.push_back(named.tensor);
            }
        }
    }
    return trained;
}

}  // namespace ptp::bench
