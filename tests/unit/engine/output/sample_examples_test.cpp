// The forms of the streams of kept samples.

#include "engine/output/sample_examples.hpp"

#include "support/engine_plan.hpp"

#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>

namespace sample_examples_test {

using ptp::plugin::Element;
using ptp::plugin::Kind;

TEST_CASE("examples: an image that a loss reads beside scores of places is no map of classes") {
    ptp::test::EnginePlan made;
    const int images = made.add_stream("images", Element::kFloating, {-1, 3, 8, 8});
    const int targets = made.add_stream("targets", Element::kInteger, {-1, 8, 8});
    const int scores = made.add_stream("scores", Element::kFloating, {-1, 2, 8, 8});
    made.add_task(ptp::test::five_samples(), {{"images", images}, {"targets", targets}});
    const ptp_component_info idle = ptp::test::idle_component();
    made.add_node("net", Kind::kModel, idle, {{"images", images}}, {{"scores", scores}});
    ptp::pipeline::Node& loss =
        made.add_node("loss", Kind::kLoss, idle,
                      {{"targets", targets}, {"images", images}, {"scores", scores}}, {});
    ptp::plugin::Component component = *loss.component;
    component.ports.front().purpose = ptp::plugin::Purpose::kTargets;
    loss.component = &component;

    ptp::engine::Frame frame(made.plan);
    frame[images].tensor = at::zeros({1, 3, 8, 8});
    frame[targets].tensor = at::zeros({1, 8, 8}, at::kLong);
    frame[scores].tensor = at::zeros({1, 2, 8, 8});
    ptp::engine::Examples examples(8, made.plan, made.plan.tasks.front());
    examples.add(frame, {{.index = 0, .loss = 1}});
    ptp::engine::TensorsByName tensors;
    CHECK(examples.write(tensors) == std::map<std::string, std::string>{{"images", "image"},
                                                                        {"scores", "classes"},
                                                                        {"targets", "classes"}});
}

}  // namespace sample_examples_test
