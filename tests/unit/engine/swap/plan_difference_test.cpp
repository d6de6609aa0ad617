#include "engine/swap/next_pipeline.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace plan_difference_test {

using ptp::engine::complete_sizes;
using ptp::engine::plan_differences;
using ptp::pipeline::Plan;
using ptp::plugin::Element;

namespace {

using Lines = std::vector<std::string>;

// images [B, side, side] -> scores [B, class_count], of two components. `class_count` is what a
// task finds in its data.
Plan plan(std::optional<std::int64_t> class_count) {
    Plan made;
    made.symbols = {{"B", std::nullopt, ""},
                    {"side", 28, "training.task.size"},
                    {"class_count", class_count, class_count ? "published by the task" : ""}};
    made.streams = {
        {"images", Element::kFloating, true, {{{}, 0, "B"}, {{}, 1, "side"}, {{}, 1, "side"}}, -1},
        {"scores", Element::kFloating, true, {{{}, 0, "B"}, {{}, 2, "class_count"}}, 0}};
    made.nodes.resize(2);
    made.nodes[0].name = "net";
    made.nodes[1].name = "loss";
    made.tasks.resize(1);
    made.tasks[0].name = "training";
    return made;
}

}  // namespace

TEST_CASE("plan difference: a size that is known from the data only is no difference") {
    const Plan running = plan(4);
    Plan next = plan(std::nullopt);
    complete_sizes(running, next);
    CHECK(next.symbols[2].size == 4);
    CHECK(next.symbols[2].origin == "published by the task");
    CHECK(plan_differences(running, next).empty());
}

TEST_CASE("plan difference: a size of its own stays, and each stream that has it is listed") {
    const Plan running = plan(4);
    Plan next = plan(5);
    next.symbols[1].size = 32;
    complete_sizes(running, next);
    CHECK(plan_differences(running, next) ==
          Lines{"'images' is float [B, side = 28, side = 28], would be float [B, side = 32, side = "
                "32]",
                "'scores' is float [B, class_count = 4], would be float [B, class_count = 5]"});
}

TEST_CASE("plan difference: another element, and streams that come and go, are listed") {
    const Plan running = plan(4);
    Plan next = plan(4);
    next.streams[0].element = Element::kByte;
    next.streams[1].name = "votes";
    CHECK(plan_differences(running, next) ==
          Lines{"'images' is float [B, side = 28, side = 28], would be byte [B, side = 28, side = "
                "28]",
                "'scores' would not exist", "'votes' would be new"});
}

TEST_CASE("plan difference: another order of components, and sizes that were one, are listed") {
    const Plan running = plan(4);
    Plan next = plan(4);
    std::swap(next.nodes[0], next.nodes[1]);
    CHECK(plan_differences(running, next) ==
          Lines{"the components, in this order, are net, loss, would be loss, net"});
    next = plan(4);
    next.symbols.push_back({"height", 28, ""});
    complete_sizes(running, next);
    CHECK(plan_differences(running, next) ==
          Lines{"the sizes are B, side, class_count, would be B, side, class_count, height"});
}

}  // namespace plan_difference_test
