#include "engine/step/output_check.hpp"

#include "engine/error.hpp"
#include "support/engine_plan.hpp"

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <optional>

using ptp::engine::Components;
using ptp::engine::Frame;
using ptp::engine::OutputCheck;
using ptp::engine::RunError;
using ptp::plugin::Element;

namespace {

// A task that writes `a` [B, 3] and `b` [B, t], and a component that writes `c` [B, t].
struct Wired {
    Wired() {
        plan.add_stream("a", Element::floating, {-1, 3});
        plan.add_stream("b", Element::floating, {-1, -2});
        plan.add_stream("c", Element::floating, {-1, -2});
        plan.add_task(ptp::test::idle_component(), {{"a", 0}, {"b", 1}});
        plan.add_node("late", ptp::plugin::Kind::transform, ptp::test::idle_component(), {{"b", 1}},
                      {{"c", 2}});
        components = plan.create();
        frame.emplace(plan.plan);
        output_check.emplace(plan.plan);
    }

    // One step in which the streams have these widths.
    void step(std::int64_t batch, std::int64_t a, std::int64_t b, std::int64_t c,
              bool is_thorough = false) {
        (*frame)[0].tensor = at::zeros({batch, a});
        (*frame)[1].tensor = at::zeros({batch, b});
        (*frame)[2].tensor = at::zeros({batch, c});
        check(static_cast<std::uint64_t>(batch), is_thorough);
    }

    void check(std::uint64_t batch_size, bool is_thorough = false) {
        output_check->begin(batch_size, is_thorough);
        output_check->check(*components.tasks[0], *frame, at::kCPU);
        output_check->check(*components.nodes[0], *frame, at::kCPU);
    }

    ptp::test::EnginePlan plan;
    Components components;
    std::optional<Frame> frame;
    std::optional<OutputCheck> output_check;
};

}  // namespace

TEST_CASE("output check: right outputs pass, and their free sizes may change from step to step") {
    Wired wired;
    CHECK_NOTHROW(wired.step(2, 3, 5, 5, true));
    CHECK_NOTHROW(wired.step(2, 3, 5, 5));
    CHECK_NOTHROW(wired.step(2, 3, 6, 6));
    CHECK_NOTHROW(wired.step(1, 3, 6, 6));
}

TEST_CASE("output check: a shape that changes for the worse is caught in any step") {
    Wired wired;
    wired.step(2, 3, 5, 5, true);
    CHECK_THROWS_WITH_AS(wired.step(2, 4, 5, 5),
                         "plugin 'test_plugin' 1.0: the task of [training] (Idle) writes [2, 4] to "
                         "stream 'a', but its port 'a' is declared as [B, 3] (B = 2)",
                         RunError);
}

TEST_CASE("output check: sizes of one name must agree within a step") {
    Wired wired;
    wired.step(2, 3, 5, 5, true);
    CHECK_THROWS_WITH_AS(
        wired.step(2, 3, 5, 6),
        "plugin 'test_plugin' 1.0: 'late' (Idle): output 'c' (stream 'c'): 't' is 6 "
        "in it and 5 in stream 'b'",
        RunError);
    // The one that stays as it was is the wrong one.
    CHECK_THROWS_WITH_AS(
        wired.step(2, 3, 7, 5),
        "plugin 'test_plugin' 1.0: 'late' (Idle): output 'c' (stream 'c'): 't' is 5 "
        "in it and 7 in stream 'b'",
        RunError);
}

TEST_CASE("output check: a component that keeps an old batch size is caught") {
    Wired wired;
    wired.step(2, 3, 5, 5, true);
    CHECK_THROWS_WITH_AS(wired.check(1),
                         "plugin 'test_plugin' 1.0: the task of [training] (Idle) writes [2, 3] to "
                         "stream 'a', but its port 'a' is declared as [B, 3] (B = 1)",
                         RunError);
}

TEST_CASE("output check: type, and whether there is anything at all") {
    Wired wired;
    wired.step(2, 3, 5, 5, true);
    (*wired.frame)[2].tensor = at::zeros({2, 5}, at::TensorOptions(at::kLong));
    CHECK_THROWS_WITH_AS(wired.check(2),
                         "plugin 'test_plugin' 1.0: 'late' (Idle): output 'c' (stream 'c'): is a "
                         "tensor of Long, must be a tensor of a floating type",
                         RunError);
    (*wired.frame)[2].tensor.reset();
    CHECK_THROWS_WITH_AS(
        wired.check(2),
        "plugin 'test_plugin' 1.0: 'late' (Idle): output 'c' (stream 'c'): was not written",
        RunError);
}
