// What one component costs that does nothing but hand its input on: the executor, the checked call
// through the C table, and the check of what it wrote.
//
//   ptp-bench-hop

#include "engine/step/executor.hpp"
#include "support/engine_plan.hpp"

#include <ATen/ops/zeros.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

int main() {
    constexpr int kComponents = 100;
    constexpr int kSteps = 2000;
    constexpr int kRounds = 9;
    ptp::test::EnginePlan plan;
    ptp_component_info hand_on = ptp::test::idle_component();
    hand_on.forward = [](void*, const ptp_step*, const ptp_value* const* inputs,
                         ptp_value* const* outputs) -> ptp_status {
        ptp::test::tensor_in(outputs[0]) = ptp::test::tensor_in(inputs[0]);
        return PTP_OK;
    };
    int stream = plan.add_stream("s0", ptp::plugin::Element::floating, {-1, 8});
    plan.add_task(ptp::test::idle_component(), {{"inputs", stream}});
    for (int i = 1; i <= kComponents; ++i) {
        const std::string name = "s" + std::to_string(i);
        const int next = plan.add_stream(name, ptp::plugin::Element::floating, {-1, 8});
        plan.add_node(name, ptp::plugin::Kind::transform, hand_on, {{"inputs", stream}},
                      {{"outputs", next}});
        stream = next;
    }
    const ptp::engine::Components components = plan.create();
    ptp::engine::Frame frame(plan.plan);
    ptp::engine::Executor executor(plan.plan, components.nodes, frame, at::kCPU);

    const at::Tensor batch = at::zeros({4, 8});
    ptp_step step{};
    step.struct_size = sizeof(step);
    step.batch_size = 4;
    std::vector<double> nanoseconds;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < kSteps; ++i) {
            frame[0].tensor = batch;
            executor.run(*components.tasks[0], step, i == 0);
        }
        const std::chrono::duration<double, std::nano> time =
            std::chrono::steady_clock::now() - begin;
        nanoseconds.push_back(time.count() / (kSteps * kComponents));
    }
    std::sort(nanoseconds.begin(), nanoseconds.end());
    fmt::print("one hop: {:.0f} ns (median of {} rounds)\n", nanoseconds[kRounds / 2], kRounds);
    return 0;
}
