#include "engine/component/profiler.hpp"

#include "engine/component/executor.hpp"
#include "support/engine_plan.hpp"
#include "support/temp_folder.hpp"

#include <ATen/ops/ones.h>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace profiler_test {

using ptp::engine::Profiler;
using ptp::plugin::Element;

namespace {

ptp_status doubled(void*, const ptp_step*, const ptp_value* const* inputs,
                   ptp_value* const* outputs) {
    ptp::test::tensor_in(outputs[0]) = ptp::test::tensor_in(inputs[0]).mul(2);
    return PTP_OK;
}

// Two components in a row after a task, and their names in the order of the trace.
struct Chain {
    Chain() {
        plan.add_stream("s0", Element::kFloating, {-1});
        plan.add_stream("s1", Element::kFloating, {-1});
        plan.add_stream("s2", Element::kFloating, {-1});
        plan.add_task(ptp::test::idle_component(), {{"inputs", 0}});
        ptp_component_info info = ptp::test::idle_component();
        info.forward = doubled;
        plan.add_node("first", ptp::plugin::Kind::kModel, info, {{"in", 0}}, {{"out", 1}});
        plan.add_node("second", ptp::plugin::Kind::kModel, info, {{"in", 1}}, {{"out", 2}});
        components = plan.create();
    }

    ptp::test::EnginePlan plan;
    ptp::engine::Components components;
};

std::vector<std::string> names_in(const std::string& trace) {
    std::vector<std::string> names;
    const nlohmann::json json = nlohmann::json::parse(trace);
    for (const auto& event : json.at("traceEvents")) {
        CHECK(event.at("ph") == "X");
        CHECK(event.at("dur").get<double>() >= 0);
        names.push_back(event.at("name"));
    }
    return names;
}

}  // namespace

TEST_CASE("profiler: forward in the order of the components, backward in the reverse") {
    Chain chain;
    Profiler profiler(chain.plan.plan, at::kCPU);
    ptp::engine::Frame frame(chain.plan.plan);
    ptp::engine::Executor executor(chain.plan.plan, chain.components, frame, at::kCPU);
    executor.profile(profiler);
    frame[0].tensor = at::ones({4}).requires_grad_();
    ptp_step step{};
    step.struct_size = sizeof(step);
    step.batch_size = 4;
    executor.run(*chain.components.tasks[0], step, true);
    {
        const Profiler::Timer timer(&profiler, Profiler::kBackward);
        frame[2].tensor.sum().backward();
    }
    CHECK(frame[0].tensor.grad().sum().item<double>() == 16);

    const ptp::test::TempFolder folder;
    profiler.write_trace(folder.path() / "trace.json");
    CHECK(names_in(folder.read("trace.json")) ==
          std::vector<std::string>{"forward  first", "forward  second", "backward  second",
                                   "backward  first", "backward, all"});
    const std::string table = profiler.table();
    CHECK(table.starts_with("profile           "));
    CHECK(table.find("\nbackward  second ") != std::string::npos);
    CHECK(table.find("\noptimizer") == std::string::npos);
}

TEST_CASE("profiler: sums of gradients count once, and what of them the backward pass hides") {
    Chain chain;
    Profiler profiler(chain.plan.plan, at::kCPU);
    const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    const auto after = [begin](int ms) { return begin + std::chrono::milliseconds(ms); };
    { const Profiler::Timer timer(&profiler, Profiler::kBackward); }
    CHECK(profiler.table().find("sums of gradients") == std::string::npos);
    profiler.add_sum(after(0), after(5), after(9));
    profiler.add_sum(after(5), after(12), after(9));
    profiler.add_sum(after(20), after(23), after(9));
    CHECK(
        profiler.table().ends_with("\nsums of gradients: 15.000 ms in each episode, "
                                   "9.000 ms of it while the backward pass ran"));
}

TEST_CASE("profiler: without one a timer does nothing") {
    const Profiler::Timer timer(nullptr, Profiler::kWait);
}

}  // namespace profiler_test
