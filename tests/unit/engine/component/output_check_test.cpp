#include "engine/component/output_check.hpp"

#include "base/error.hpp"
#include "support/engine_plan.hpp"

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

#include <optional>
#include <string>

namespace output_check_test {

using ptp::RunError;
using namespace ptp::engine;
using ptp::plugin::Element;

namespace {

// A task that writes `a` [B, 3] and `b` [B, t], and a component that writes `c` [B, t].
struct Wired {
    Wired() {
        plan.add_stream("a", Element::kFloating, {-1, 3});
        plan.add_stream("b", Element::kFloating, {-1, -2});
        plan.add_stream("c", Element::kFloating, {-1, -2});
        plan.add_task(ptp::test::idle_component(), {{"a", 0}, {"b", 1}});
        plan.add_node("late", ptp::plugin::Kind::kTransform, ptp::test::idle_component(),
                      {{"b", 1}}, {{"c", 2}});
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

// A task that writes strings and token lists, which are fed by set_text().
struct WiredText {
    WiredText() {
        plan.add_stream("words", Element::kString, {-1});
        plan.add_stream("sentences", Element::kTokens, {-1});
        plan.add_task(ptp::test::idle_component(), {{"words", 0}, {"sentences", 1}});
        components = plan.create();
        frame.emplace(plan.plan);
        output_check.emplace(plan.plan);
    }

    // One step of two samples, with these numbers of strings and token lists.
    void step(std::uint64_t words, std::uint64_t sentences, bool is_thorough = false) {
        static const std::uint64_t offsets[] = {0, 1, 2, 3};
        (*frame)[0].text.assign({"abc", offsets, words, nullptr, 0});
        (*frame)[1].text.assign({"abc", offsets, sentences, offsets, sentences});
        check(is_thorough);
    }

    void check(bool is_thorough = false) {
        output_check->begin(2, is_thorough);
        output_check->check(*components.tasks[0], *frame, at::kCPU);
    }

    ptp::test::EnginePlan plan;
    Components components;
    std::optional<Frame> frame;
    std::optional<OutputCheck> output_check;
};

}  // namespace

TEST_CASE("output check: text does not make a step thorough") {
    WiredText wired;
    wired.step(2, 2, true);
    CHECK(wired.output_check->is_thorough());
    CHECK_NOTHROW(wired.step(2, 2));
    CHECK_FALSE(wired.output_check->is_thorough());
}

TEST_CASE("output check: text of a wrong number of samples, or none, is caught in any step") {
    WiredText wired;
    wired.step(2, 2, true);
    const std::string task = "plugin 'test_plugin' 1.0: the task of [training] (Idle): output ";
    CHECK_THROWS_WITH_AS(
        wired.step(3, 2),
        (task + "'words' (stream 'words'): has 3 samples, the batch has 2").c_str(), RunError);
    wired.step(2, 2, true);
    CHECK_THROWS_WITH_AS(
        wired.step(2, 1),
        (task + "'sentences' (stream 'sentences'): has 1 sample, the batch has 2").c_str(),
        RunError);
    wired.step(2, 2, true);
    (*wired.frame)[0].text.clear();
    CHECK_THROWS_WITH_AS(wired.check(),
                         (task + "'words' (stream 'words'): was not written").c_str(), RunError);
}

TEST_CASE("output check: right outputs pass, and their free sizes may change from step to step") {
    Wired wired;
    CHECK_NOTHROW(wired.step(2, 3, 5, 5, true));
    CHECK_NOTHROW(wired.step(2, 3, 5, 5));
    CHECK_FALSE(wired.output_check->is_thorough());
    CHECK_NOTHROW(wired.step(2, 3, 6, 6));
    CHECK(wired.output_check->is_thorough());
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

TEST_CASE("output check: a wrong type and a missing tensor are refused") {
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

TEST_CASE("output check: a tensor on another device is refused") {
    Wired wired;
    wired.step(2, 3, 5, 5, true);
    (*wired.frame)[2].tensor = at::zeros({2, 5}, at::TensorOptions(at::kMeta));
    CHECK_THROWS_WITH_AS(wired.check(2),
                         "plugin 'test_plugin' 1.0: 'late' (Idle): output 'c' (stream 'c'): is on "
                         "meta, must be on cpu",
                         RunError);
}

TEST_CASE("output check: each type of element is named where another one was written") {
    struct Case {
        Element element;
        const char* wanted;
    };
    const Case cases[] = {{Element::kInteger, "a tensor of a signed integer type"},
                          {Element::kBoolean, "a tensor of bool"},
                          {Element::kByte, "a tensor of uint8"}};
    for (const Case& c : cases) {
        ptp::test::EnginePlan plan;
        plan.add_stream("s", c.element, {-1});
        plan.add_task(ptp::test::idle_component(), {{"out", 0}});
        const Components components = plan.create();
        Frame frame(plan.plan);
        frame[0].tensor = at::zeros({2});
        OutputCheck check(plan.plan);
        check.begin(2, true);
        const std::string expected =
            std::string(
                "plugin 'test_plugin' 1.0: the task of [training] (Idle): output 'out' (stream 's'): is "
                "a tensor of Float, must be ") +
            c.wanted;
        CHECK_THROWS_WITH_AS(check.check(*components.tasks[0], frame, at::kCPU), expected.c_str(),
                             RunError);
    }
}

}  // namespace output_check_test
