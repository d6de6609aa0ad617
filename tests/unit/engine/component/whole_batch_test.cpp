// A component asks for the rows of all processes: it gets them, and wrong requests are refused.

#include "engine/component/whole_batch.hpp"

#include "base/error.hpp"
#include "engine/component/executor.hpp"
#include "support/engine_plan.hpp"

#include <ptp/ext/draft/whole_batch.h>

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>

namespace whole_batch_test {

using ptp::RunError;
using ptp::engine::Components;
using ptp::engine::WholeBatch;
using ptp::plugin::Kind;

namespace {

const ptp_host* given_host = nullptr;
const ptp_whole_batch* ability = nullptr;
std::function<ptp_status()> forward_of_test;  // a functions' table cannot carry anything along

const ptp_whole_batch* asked() {
    return static_cast<const ptp_whole_batch*>(
        given_host->extension(given_host->context, PTP_HOST_WHOLE_BATCH));
}

// The rows that a component has gathered.
struct Gathered {
    at::Tensor rows;
    std::uint64_t first = 99;
};

ptp_status gather(const at::Tensor& own, Gathered& gathered) {
    return ability->gather(given_host->context, reinterpret_cast<const ptp_value*>(&own),
                           reinterpret_cast<ptp_value*>(&gathered.rows), &gathered.first);
}

ptp_component_info gathering(std::function<ptp_status()> forward) {
    forward_of_test = std::move(forward);
    ptp_component_info info = ptp::test::idle_component();
    info.create = [](const ptp_host* host, const ptp_setup*, void** out) -> ptp_status {
        given_host = host;
        ability = asked();
        *out = &given_host;
        return PTP_OK;
    };
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const*) -> ptp_status { return forward_of_test(); };
    return info;
}

ptp_step step_of(std::uint64_t samples) {
    ptp_step step{};
    step.struct_size = sizeof(ptp_step);
    step.section = "training";
    step.batch_size = samples;
    return step;
}

// A pipeline of one component, "loss".
struct One {
    explicit One(const ptp_component_info& info) {
        plan.add_task(ptp::test::idle_component(), {});
        plan.add_node("loss", Kind::kModel, info, {}, {});
        components = plan.create();
    }
    ptp::test::EnginePlan plan;
    Components components;
};

// Two rows of another process before the own ones.
class TwoBefore final : public WholeBatch {
public:
    Rows gather(const at::Tensor& own, const std::string& asker) override {
        asker_ = asker;
        return {at::full({own.size(0) + 2}, 7.0), 2};
    }
    std::string asker_;
};

}  // namespace

TEST_CASE("whole batch: a process alone has its own rows") {
    const at::Tensor own = at::ones({3, 2});
    Gathered gathered;
    One one(gathering([&] { return gather(own, gathered); }));
    one.components.nodes[0]->forward(step_of(3), nullptr, nullptr);
    CHECK(gathered.rows.is_same(own));
    CHECK(gathered.first == 0);
    CHECK(one.components.nodes[0]->sees_whole_batch());
}

TEST_CASE("whole batch: the executor passes on the rows of the processes that share the batch") {
    Gathered gathered;
    One one(gathering([&] { return gather(at::ones({3}), gathered); }));
    ptp::engine::Frame frame(one.plan.plan);
    ptp::engine::Executor executor(one.plan.plan, one.components, frame, at::kCPU);
    TwoBefore rows;
    executor.gather_with(&rows);
    executor.run(*one.components.tasks[0], step_of(3), true);
    CHECK(rows.asker_ == "loss");
    CHECK(gathered.first == 2);
    CHECK(gathered.rows.size(0) == 5);
    executor.gather_with(nullptr);
    executor.run(*one.components.tasks[0], step_of(3), true);
    CHECK(gathered.first == 0);
}

TEST_CASE("whole batch: a component that does not ask in create() never gets it") {
    ptp_component_info info = gathering([] {
        ability = asked();
        return PTP_OK;
    });
    info.create = [](const ptp_host* host, const ptp_setup*, void** out) -> ptp_status {
        given_host = host;
        *out = &given_host;
        return PTP_OK;
    };
    One one(info);
    one.components.nodes[0]->forward(step_of(3), nullptr, nullptr);
    CHECK(ability == nullptr);
    CHECK(!one.components.nodes[0]->sees_whole_batch());
}

TEST_CASE("whole batch: what has not a row for each sample is refused") {
    struct Case {
        at::Tensor rows;
        const char* message;
    };
    for (const Case& c :
         {Case{at::ones({2, 5}), "a tensor of [2, 5]: must have a row for each of the 3 samples"},
          Case{at::ones({}), "a tensor of []: must have a row for each of the 3 samples"},
          Case{at::Tensor(), "an undefined tensor: must have a row for each of the 3 samples"}}) {
        Gathered gathered;
        One one(gathering([&] { return gather(c.rows, gathered); }));
        CHECK_THROWS_WITH_AS(one.components.nodes[0]->forward(step_of(3), nullptr, nullptr),
                             ("plugin 'test_plugin' 1.0: 'loss' (Idle): gather: " +
                              std::string(c.message) + " of the call")
                                 .c_str(),
                             RunError);
    }
}

TEST_CASE("whole batch: only forward() may gather, because other calls have no batch") {
    ptp_component_info info = gathering([] { return PTP_OK; });
    info.create = [](const ptp_host* host, const ptp_setup*, void**) -> ptp_status {
        given_host = host;
        ability = asked();
        Gathered gathered;
        return gather(at::ones({1}), gathered);
    };
    CHECK_THROWS_WITH_AS(
        One{info}, "plugin 'test_plugin' 1.0: 'loss' (Idle): gather: only forward() gathers rows",
        RunError);
}

}  // namespace whole_batch_test
