// Calls of components are observed while the engine looks at them, on its thread alone.

#include "engine/component/observation.hpp"

#include "support/engine_plan.hpp"

#include <ptp/ext/draft/observation.h>

#include <doctest/doctest.h>

#include <thread>

namespace observation_test {

using ptp::engine::Components;
using ptp::engine::Observation;
using ptp::plugin::Kind;

namespace {

const ptp_host* given_host = nullptr;
std::int32_t answer = -1;  // of the host in the last forward()

ptp_component_info asking() {
    ptp_component_info info = ptp::test::idle_component();
    info.create = [](const ptp_host* host, const ptp_setup*, void** out) -> ptp_status {
        given_host = host;
        *out = &given_host;
        return PTP_OK;
    };
    info.forward = [](void*, const ptp_step*, const ptp_value* const*,
                      ptp_value* const*) -> ptp_status {
        const auto* const observation = static_cast<const ptp_observation*>(
            given_host->extension(given_host->context, PTP_HOST_OBSERVATION));
        answer = observation->is_observed(given_host->context);
        return PTP_OK;
    };
    return info;
}

}  // namespace

TEST_CASE("observation: a component learns that it is observed, until the observation ends") {
    ptp::test::EnginePlan plan;
    plan.add_task(ptp::test::idle_component(), {});
    plan.add_node("net", Kind::kModel, asking(), {}, {});
    const Components components = plan.create();
    const auto answer_now = [&] {
        ptp_step step{};
        step.struct_size = sizeof(ptp_step);
        step.section = "training";
        components.nodes[0]->forward(step, nullptr, nullptr);
        return answer;
    };
    CHECK(answer_now() == 0);
    {
        const Observation observation;
        {
            const Observation inner;
            CHECK(answer_now() == 1);
        }
        CHECK(answer_now() == 1);
        std::thread([&] { CHECK(answer_now() == 0); }).join();
    }
    CHECK(answer_now() == 0);
}

}  // namespace observation_test
