// What one component costs that does nothing but hand its input on: the executor, the checked call
// through the C table, and the check of what it wrote. With and without a task that also gives
// text.
//
//   ptp-bench-hop

#include "engine/component/executor.hpp"
#include "support/engine_plan.hpp"

#include <ATen/ops/zeros.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace {

constexpr int kComponents = 100;
constexpr int kSteps = 2000;
constexpr int kRounds = 9;
constexpr std::uint64_t kSamples = 4;

ptp_status hand_on(void*, const ptp_step*, const ptp_value* const* inputs,
                   ptp_value* const* outputs) {
    ptp::test::tensor_in(outputs[0]) = ptp::test::tensor_in(inputs[0]);
    return PTP_OK;
}

// A chain of components after a task; the second stream, of text, is nobody's input.
void wire(ptp::test::EnginePlan& plan, bool has_text) {
    using ptp::plugin::Element;
    int stream = plan.add_stream("s0", Element::kFloating, {-1, 8});
    const int text = plan.add_stream("text", Element::kString, {-1});
    plan.add_task(ptp::test::idle_component(),
                  {{"inputs", stream}, {"text", has_text ? text : -1}});
    ptp_component_info info = ptp::test::idle_component();
    info.forward = hand_on;
    for (int i = 1; i <= kComponents; ++i) {
        const std::string name = "s" + std::to_string(i);
        const int next = plan.add_stream(name, Element::kFloating, {-1, 8});
        plan.add_node(name, ptp::plugin::Kind::kTransform, info, {{"inputs", stream}},
                      {{"outputs", next}});
        stream = next;
    }
}

double nanoseconds_for_a_hop(bool has_text) {
    ptp::test::EnginePlan plan;
    wire(plan, has_text);
    const ptp::engine::Components components = plan.create();
    ptp::engine::Frame frame(plan.plan);
    ptp::engine::Executor executor(plan.plan, components, frame, at::kCPU);

    const at::Tensor batch = at::zeros({kSamples, 8});
    const std::uint64_t offsets[kSamples + 1] = {0, 1, 2, 3, 4};
    frame[1].text.assign({"abcd", offsets, kSamples, nullptr, 0});
    ptp_step step{};
    step.struct_size = sizeof(step);
    step.batch_size = kSamples;
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
    return nanoseconds[kRounds / 2];
}

}  // namespace

int main() {
    fmt::print(
        "one hop: {:.0f} ns; where the task also gives text: {:.0f} ns (medians of {} rounds)\n",
        nanoseconds_for_a_hop(false), nanoseconds_for_a_hop(true), kRounds);
    return 0;
}
