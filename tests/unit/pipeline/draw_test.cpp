#include "pipeline/draw/draw.hpp"
#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace draw_test {

using namespace ptp;
using test::count_of;

namespace {

constexpr const char* kSmall = R"([pipeline.net]
type = "Net"
freeze = true
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)";

// Four components read predictions, and three targets.
constexpr const char* kManyReaders = R"([pipeline.net]
type = "Net"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
[pipeline.accuracy]
type = "Accuracy"
[pipeline.viewer]
type = "Viewer"
input_streams = ["predictions", "targets"]
)";

// Only what is not trained can have a single model that is frozen.
pipeline::Picture picture(const test::Outcome& outcome,
                          const pipeline::ParameterCounts& counts = {}) {
    REQUIRE(outcome.problems == "");
    return pipeline::picture_of(*outcome.plan, counts);
}

test::Outcome assembled(const char* components) {
    return test::assemble_text(test::experiment_text(components), test::usual_catalog(),
                               {"training"});
}

// The picture of an experiment that has errors.
pipeline::Picture failed(const std::string& components) {
    return test::assemble_text(test::experiment_text(components)).failure;
}

// The line of Graphviz's language that describes a node.
std::string node_line(const std::string& dot, const std::string& id) {
    const std::size_t start = dot.find("    \"" + id + "\" [");
    REQUIRE(start != std::string::npos);
    return dot.substr(start, dot.find("];\n", start) - start);
}

}  // namespace

TEST_CASE("draw: the listing shows who reads and writes what, in the order of execution") {
    const auto outcome = assembled(kSmall);
    CHECK(
        pipeline::draw_text(picture(outcome, {{"net", {61706, 0}}, {"loss", {0, 0}}})) ==
        "task  pre      training  Images                                      ->  inputs       [B, 1, "
        "image_height = 32, image_width = 32]\n"
        "                                                                     ->  targets      integers "
        "[B]\n"
        "                                                                     ->  labels       strings [B]\n"
        "   1  forward  net       Net (frozen, 61,706 parameters, 0 trained)  <-  inputs       [B, 1, 32, "
        "32]\n"
        "                                                                     ->  predictions  [B, "
        "prediction_size = 10]\n"
        "   2  forward  loss      Loss                                        <-  predictions  [B, classes "
        "= 10]\n"
        "                                                                     <-  targets      integers "
        "[B]\n"
        "                                                                     ->  loss         a number, "
        "minimized\n");
}

TEST_CASE("draw: a stream with one reader is a line with its name and its shape") {
    const auto outcome = assembled(kSmall);
    const std::string dot = pipeline::draw_dot(picture(outcome));
    CHECK(dot.starts_with("digraph pipeline {\n"));
    CHECK(count_of("\"tasks\" -> \"component net\" [label=", dot) == 1);
    CHECK(count_of("[label=\"predictions\\n[B, prediction_size = 10]\"]", dot) == 1);
    CHECK(dot.find("[B, prediction_size = 10]") != std::string::npos);
    CHECK(dot.find("labels") == std::string::npos);  // nothing reads it
}

TEST_CASE(
    "draw: a component with some layers frozen is partly frozen, with the numbers where known") {
    const auto outcome = assembled(R"([pipeline.net]
type = "Net"
freeze = ["layers.*"]
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)");
    const std::string net = node_line(pipeline::draw_dot(picture(outcome)), "component net");
    CHECK(net.find("\\npartly frozen") != std::string::npos);
    CHECK(net.find("style=\"filled,dotted\"") != std::string::npos);
    const auto drawn = picture(outcome, {{"net", {61706, 850}}});
    CHECK(node_line(pipeline::draw_dot(drawn), "component net")
              .find("\\n61,706 parameters, 850 trained\\npartly frozen") != std::string::npos);
    CHECK(pipeline::draw_text(drawn).find("Net (partly frozen, 61,706 parameters, 850 trained)") !=
          std::string::npos);
    // The patterns match all of it.
    CHECK(pipeline::draw_text(picture(outcome, {{"net", {61706, 0}}}))
              .find("Net (frozen, 61,706 parameters, 0 trained)") != std::string::npos);
}

TEST_CASE("draw: layers frozen until an epoch are shown with it, and count as trained") {
    const auto outcome = assembled(R"([pipeline.net]
type = "Net"
freeze = { until_epoch = 3, layers = ["layers.*"] }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)");
    CHECK(pipeline::draw_text(picture(outcome, {{"net", {61706, 61706}}}))
              .find("Net (partly frozen in the first 3 epochs, 61,706 parameters)") !=
          std::string::npos);
}

TEST_CASE("draw: boxes tell the kind, the number of parameters and what is frozen") {
    const auto outcome = assembled(kSmall);
    const std::string dot = pipeline::draw_dot(picture(outcome, {{"net", {1234567, 0}}}));
    const std::string net = node_line(dot, "component net");
    CHECK(net.find("\"net\\nNet, model\\n") != std::string::npos);
    CHECK(net.find("1,234,567 parameters, 0 trained\\nfrozen") != std::string::npos);
    CHECK(net.find("style=\"filled,dashed\"") != std::string::npos);
    const std::string loss = node_line(dot, "component loss");
    CHECK(loss.find("Loss, loss") != std::string::npos);
    CHECK(loss.find("loss, minimized") != std::string::npos);
    CHECK(loss.find("parameters") == std::string::npos);
    CHECK(node_line(dot, "tasks").find("Images, task") != std::string::npos);
}

TEST_CASE(
    "draw: a stream with many readers is a label in their boxes, and a line to the loss only") {
    const auto outcome = assembled(kManyReaders);
    const std::string dot = pipeline::draw_dot(picture(outcome));
    CHECK(count_of("\"component net\" -> \"component loss\" [label=", dot) == 1);
    CHECK(dot.find("\"component net\" -> \"component accuracy\" [label=") == std::string::npos);
    CHECK(node_line(dot, "component accuracy").find("> predictions\\n") != std::string::npos);
    CHECK(node_line(dot, "component loss").find("> predictions") == std::string::npos);
    CHECK(node_line(dot, "component net").find("\\npredictions [B, prediction_size = 10] >") !=
          std::string::npos);
    for (const char* reader : {"component loss", "component accuracy", "component viewer"}) {
        CAPTURE(reader);
        CHECK(node_line(dot, reader).find("> targets\\n") != std::string::npos);
    }
    CHECK(node_line(dot, "tasks").find("\\ntargets integers [B] >") != std::string::npos);
    // Boxes without lines stand below the one that they depend on last.
    CHECK(count_of("\"component net\" -> \"component accuracy\" [style=invis", dot) == 1);
    CHECK(count_of("\"component accuracy\" -> \"component viewer\" [style=invis", dot) == 1);
}

TEST_CASE("draw: an experiment with errors has them in the boxes of their components") {
    const auto drawn = failed(R"([pipeline.net]
type = "Net"
depht = 3
[pipeline.loss]
type = "Lost"
[pipeline.accuracy]
type = "Accuracy"
streams = { predictions = "predctions" }
)");
    const std::string text = pipeline::draw_text(drawn);
    CAPTURE(text);
    CHECK(text.find("      ^ error: depht: unknown setting") != std::string::npos);
    CHECK(text.find("loss      Lost") != std::string::npos);
    CHECK(text.find("^ error: type = \"Lost\": ") != std::string::npos);
    CHECK(text.find("<-  predctions   as 'predictions' (nothing writes it)") != std::string::npos);
    const std::string dot = pipeline::draw_dot(drawn);
    CHECK(node_line(dot, "component loss").find("Lost, unknown type") != std::string::npos);
    CHECK(node_line(dot, "component net").find("error: depht: unknown setting") !=
          std::string::npos);
    CHECK(node_line(dot, "component net").find("penwidth=3") != std::string::npos);
    CHECK(node_line(dot, "component accuracy").find("> predctions ?\\n") != std::string::npos);
}

TEST_CASE("draw: what is wrong with no component in particular stands beside them") {
    const auto drawn = failed("[pipline]\n");
    REQUIRE(drawn.errors.size() >= 1);
    CHECK(pipeline::draw_text(drawn).find("\n^ error: e.toml:8:2: pipline: unknown key") !=
          std::string::npos);
    CHECK(node_line(pipeline::draw_dot(drawn), "errors").find("pipline: unknown key") !=
          std::string::npos);
}

TEST_CASE("draw: Graphviz makes a picture that has every component, the same each time") {
    const auto outcome = assembled(kManyReaders);
    const std::string dot = pipeline::draw_dot(picture(outcome));
    const std::string svg = pipeline::render_dot(dot, "svg");
    CHECK(svg == pipeline::render_dot(dot, "svg"));
    CHECK(svg.find("<svg ") != std::string::npos);
    for (const char* name : {">net<", ">loss<", ">accuracy<", ">viewer<"}) {
        CAPTURE(name);
        CHECK(svg.find(name) != std::string::npos);
    }
    CHECK(pipeline::render_dot(dot, "png").starts_with("\x89PNG"));
    CHECK_THROWS_WITH_AS(pipeline::render_dot(dot, "tune"),
                         "Graphviz as it is installed cannot draw 'tune'", pipeline::GraphvizError);
}

}  // namespace draw_test
