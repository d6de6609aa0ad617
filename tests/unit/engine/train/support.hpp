// What the tests of a trainer and its parts work with: a whole training of one number, a terminal
// and a log in memory, and a sink that notes what it is given.

#pragma once

#include "engine/output/sinks.hpp"
#include "engine/train/trainer_context.hpp"
#include "support/engine_plan.hpp"
#include "support/memory_console.hpp"
#include "support/temp_folder.hpp"

#include <ptp/ext/parameters.h>

#include <ATen/ops/zeros.h>
#include <fmt/core.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::test {

class MemoryLog {
public:
    MemoryLog() { log->set_pattern("%l %v"); }

    std::ostringstream text;
    std::shared_ptr<spdlog::logger> log = std::make_shared<spdlog::logger>(
        "ptp", std::make_shared<spdlog::sinks::ostream_sink_st>(text));
};

class NotedSink : public engine::Sink {
public:
    explicit NotedSink(std::string& notes) : notes_(notes) {}

    [[nodiscard]] std::string_view name() const override { return "records.noted"; }
    void set(const engine::SetRow& row) override {
        notes_ += fmt::format("{} after {} of {} in {}; ", row.set, row.position.at.episode,
                              row.position.at.epoch, row.position.episodes_aggregated);
    }
    [[nodiscard]] bool takes_pictures() const override { return true; }
    void picture(const engine::Picture& picture) override { notes_ += picture.tag + "; "; }
    void checkpoint(const engine::SavedCheckpoint& saved) override {
        notes_ += fmt::format("{} after {} of {}; ", saved.folder.filename().string(),
                              saved.at.episode, saved.at.epoch);
    }
    [[nodiscard]] Value save() const override {
        return Value::table({{"size", static_cast<std::int64_t>(notes_.size())}});
    }
    void restore(const Value& saved) override {
        notes_ += fmt::format("restored {}; ", saved.find("size")->as_integer());
    }

private:
    std::string& notes_;
};

// Requests to a training, as a test makes them.
struct NotedRequests : engine::LiveRequests {
    void check_begin(std::uint64_t /*seen*/, std::uint64_t /*episodes*/) const override {}
    void begin(std::uint64_t seen, std::uint64_t episodes) override {
        notes.push_back(fmt::format("begin {} {}", seen, episodes));
    }
    [[nodiscard]] bool has_change(std::uint64_t /*episodes*/) const override { return false; }
    [[nodiscard]] bool has_request() override { return false; }
    engine::Boundary at_boundary(engine::LiveTraining& training, bool has_pass) override {
        return serve ? serve(training, has_pass) : engine::Boundary::kContinue;
    }
    void sync() override { notes.emplace_back("sync"); }
    [[nodiscard]] std::uint64_t entries_seen() const override { return 3; }
    [[nodiscard]] std::vector<run::ActivePlugin> plugins(std::uint64_t episodes) const override {
        run::ActivePlugin plugin;
        plugin.name = "nets";
        plugin.sha256 = "5ef";
        plugin.generation = 1;
        plugin.from_episode = static_cast<std::int64_t>(episodes);
        return {plugin};
    }

    std::vector<std::string> notes;
    std::function<engine::Boundary(engine::LiveTraining&, bool has_pass)> serve;
};

inline at::Tensor trained_number;            // a functions' table cannot carry anything along
inline std::uint64_t interrupting_loss = 0;  // the one in evaluation at which SIGTERM comes

// The loss of a number w is (w - 3)^2; in evaluation, plus the number of the batch.
inline ptp_component_info loss_of_number() {
    ptp_component_info info = idle_component();
    info.extension = [](const char* id) -> const void* {
        static const ptp_parameters functions = {
            sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
                return visit(user, "w", PTP_PARAMETER,
                             reinterpret_cast<ptp_value*>(&trained_number));
            }};
        return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &functions : nullptr;
    };
    info.forward = [](void*, const ptp_step* step, const ptp_value* const*,
                      ptp_value* const* outputs) -> ptp_status {
        tensor_in(outputs[0]) = (trained_number - 3).square();
        if (step->is_training == 0) {
            tensor_in(outputs[0]) = tensor_in(outputs[0]) + static_cast<double>(step->batch_index);
            if (interrupting_loss > 0 && --interrupting_loss == 0) {
                engine::Signals::receive(SIGTERM);
            }
        }
        return PTP_OK;
    };
    return info;
}

// A training of w from 0 by SGD with the learning rate 0.1, in epochs of three batches: two, two
// and one of five samples. `change` adapts the experiment.
class NumberTraining {
public:
    explicit NumberTraining(
        std::filesystem::path in,
        const std::function<void(experiment::Experiment&)>& change = [](auto&) {},
        engine::ConsoleStyle style = {})
        : folder(std::move(in)), terminal(style) {
        std::filesystem::create_directories(folder / "checkpoints");
        trained_number = at::zeros({}).set_requires_grad(true);
        interrupting_loss = 0;
        experiment.training.name = "training";
        experiment.training.optimizer = optimizer::Sgd{.lr = 0.1};
        experiment.training.terminal_conditions.epoch_limit = 2;
        experiment.training.terminal_conditions.loss_stop_threshold.reset();
        experiment.checkpoint.every.seconds = 0;
        change(experiment);
        plan_.add_stream("numbers", plugin::Element::kInteger, {-1});
        plan_.add_stream("loss", plugin::Element::kFloating, {});
        for (experiment::Section* section : experiment::run_sections(experiment)) {
            section->task.batch_size = 2;
            section->dataloader.num_workers = 0;
            plan_.add_task(five_samples(), {{"numbers", 0}}).section = section->name;
        }
        plan_.add_node("loss", plugin::Kind::kLoss, loss_of_number(), {}, {{"loss", 1, true}});
        session = std::make_unique<engine::TrainingSession>(experiment, plan_.component_context,
                                                            plan_.descriptors(), alone);
        records = std::make_unique<engine::Records>(folder, session->statistics.columns(), *log.log,
                                                    1, session->validation_names());
        sinks.add(std::make_unique<NotedSink>(shown));
        terminal.console.set_log(log.log);
    }

    ~NumberTraining() { engine::Signals::receive(0); }  // so that no other test sees a signal
    NumberTraining(const NumberTraining&) = delete;
    NumberTraining& operator=(const NumberTraining&) = delete;

    [[nodiscard]] engine::TrainerParts parts() {
        return {*session,         checkpoints, *records, sinks, status,
                terminal.console, *log.log,    live,     facts};
    }

    std::filesystem::path folder;
    MemoryLog log;
    MemoryConsole terminal;
    experiment::Experiment experiment;
    std::string shown;  // to the sink
    NotedRequests live;
    run::CheckpointRecord facts;
    engine::Collective alone;
    engine::Signals signals;  // so that none of another test counts
    engine::CheckpointFolder checkpoints{folder / "checkpoints", 2, *log.log};
    engine::Sinks sinks{*log.log};
    engine::StatusFile status{folder / "status.json"};

private:
    EnginePlan plan_;

public:
    std::unique_ptr<engine::TrainingSession> session;
    std::unique_ptr<engine::Records> records;
};

}  // namespace ptp::test
