#include "pipeline/draw.hpp"

#include "pipeline/layout.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace ptp;

namespace {

// Only what is not trained can have a single model that is frozen.
test::Outcome assembled() {
    auto outcome = test::assemble_text(test::experiment_text(R"([pipeline.net]
type = "Net"
freeze = true
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)"),
                                       test::usual_catalog(), {"training"});
    REQUIRE(outcome.problems == "");
    return outcome;
}

}  // namespace

TEST_CASE("draw: the listing shows who reads and writes what, in the order of execution") {
    CHECK(pipeline::draw_text(*assembled().plan) ==
          "task  training  Images        ->  inputs       [B, 1, image_height = 32, image_width = "
          "32]\n"
          "                              ->  targets      integers [B]\n"
          "                              ->  labels       strings [B]\n"
          "   1  net       Net (frozen)  <-  inputs       [B, 1, 32, 32]\n"
          "                              ->  predictions  [B, prediction_size = 10]\n"
          "   2  loss      Loss          <-  predictions  [B, classes = 10]\n"
          "                              <-  targets      integers [B]\n"
          "                              ->  loss         a number, minimised\n");
}

TEST_CASE("draw: Graphviz gets every component and every stream that is read") {
    const std::string dot = pipeline::draw_dot(*assembled().plan);
    CHECK(dot.find("\"tasks\" -> \"stream inputs\";") != std::string::npos);
    CHECK(dot.find("\"stream inputs\" -> \"component net\";") != std::string::npos);
    CHECK(dot.find("\"stream targets\" -> \"component loss\";") != std::string::npos);
    CHECK(dot.find("\"component loss\" -> \"stream loss\";") != std::string::npos);
    CHECK(dot.find("labels") == std::string::npos);
}

TEST_CASE("draw: the picture is the same each time and has a box for each component") {
    const auto outcome = assembled();
    const std::string svg = pipeline::draw_svg(*outcome.plan);
    CHECK(svg == pipeline::draw_svg(*outcome.plan));
    CHECK(svg.starts_with("<svg xmlns="));
    CHECK(svg.ends_with("</svg>\n"));
    CHECK(svg.find(">net</text>") != std::string::npos);
    CHECK(svg.find(">[B, prediction_size = 10]</text>") != std::string::npos);
}

TEST_CASE("layout: boxes of a layer do not overlap, and lines go down") {
    // 0 above 1, 2 and 3; all of them and 0 itself above 4.
    const std::vector<std::pair<int, int>> lines = {{0, 1}, {0, 2}, {0, 3}, {1, 4},
                                                    {2, 4}, {3, 4}, {0, 4}};
    const auto layout =
        pipeline::lay_out(std::vector<pipeline::LayoutBox>(5, {.width = 40, .height = 20}), lines);
    const auto& boxes = layout.boxes;
    for (int i = 1; i < 4; ++i) {
        CHECK(boxes[static_cast<std::size_t>(i)].center.y == boxes[1].center.y);
        for (int j = 1; j < i; ++j) {
            const double apart = boxes[static_cast<std::size_t>(i)].center.x -
                                 boxes[static_cast<std::size_t>(j)].center.x;
            CHECK(std::abs(apart) >= 40);
        }
    }
    CHECK(boxes[0].center.y < boxes[1].center.y);
    CHECK(boxes[1].center.y < boxes[4].center.y);
    for (const auto& points : layout.lines) {
        for (std::size_t i = 1; i < points.size(); ++i)
            CHECK(points[i - 1].y <= points[i].y);
    }
    for (const auto& box : boxes) {
        CHECK(box.center.x - box.width / 2 >= 0);
        CHECK(box.center.x + box.width / 2 <= layout.width);
    }
}
