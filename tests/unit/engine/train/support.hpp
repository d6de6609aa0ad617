// What the parts of a trainer work with, each small enough to be read: statistics of one loss, a
// terminal and a log in memory, and a sink that notes what it is given.

#pragma once

#include "engine/component/frame.hpp"
#include "engine/output/sink.hpp"
#include "engine/statistics/statistics.hpp"
#include "support/engine_plan.hpp"
#include "support/memory_console.hpp"

#include <ATen/ops/scalar_tensor.h>
#include <fmt/core.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

namespace ptp::test {

// A plan with the loss "loss", whose values a test adds.
class OneLoss {
public:
    OneLoss() {
        plan_.add_stream("loss", plugin::Element::kFloating, {});
        plan_.add_node("loss", plugin::Kind::kLoss, idle_component(), {}, {{"loss", 0, true}});
        components_ = plan_.create();
        statistics_ = std::make_unique<engine::Statistics>(plan_.plan, components_);
    }

    void add(engine::StatisticSet set, double loss, std::uint64_t samples) {
        engine::Frame frame(plan_.plan);
        frame[0].tensor = at::scalar_tensor(loss);
        statistics_->collect(set, frame, samples);
    }
    engine::Statistics& statistics() { return *statistics_; }

private:
    EnginePlan plan_;
    engine::Components components_;
    std::unique_ptr<engine::Statistics> statistics_;
};

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

}  // namespace ptp::test
