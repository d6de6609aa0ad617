#include "pipeline/tried.hpp"

#include "pipeline/component_stages.hpp"
#include "pipeline/prediction.hpp"
#include "support.hpp"

#include <ptp/ext/samples.h>

#include <doctest/doctest.h>

namespace tried_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;
using test::node_named;

namespace {

plugin::Component samplewise(plugin::Component component) {
    component.abilities = {PTP_EXTENSION_SAMPLES};
    return component;
}

plugin::Component batchwise(plugin::Component component) {
    component.abilities = std::vector<std::string>();
    return component;
}

plugin::Catalog catalog() {
    const auto reader = [](const char* name) {
        return Make(Kind::kTransform, name)
            .in("inputs", "B", Element::kString)
            .out("outputs", "B, 3");
    };
    return test::catalog_of(
        {Make(Kind::kTask, "Days")
             .out("texts", "B", Element::kString)
             .out("labels", "B", Element::kString)
             .out("targets", "B, 3"),
         samplewise(reader("Iso")), samplewise(reader("German")), batchwise(reader("Whole")),
         samplewise(Make(Kind::kTransform, "Wide")
                        .in("inputs", "B", Element::kString)
                        .out("outputs", "B, 4")),
         samplewise(Make(Kind::kTransform, "Words")
                        .in("inputs", "B", Element::kString)
                        .out("outputs", "B", Element::kTokens)),
         samplewise(
             Make(Kind::kTransform, "Other").in("text", "B", Element::kString).out("day", "B, 3")),
         Make(Kind::kModel, "Net").in("inputs", "B, 3").out("predictions", "B, 3"),
         Make(Kind::kLoss, "Loss").in("predictions", "B, 3").in("targets", "B, 3").loss("loss")});
}

std::string text(const std::string& second, const std::string& more = "") {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Days", batch_size = 1 }
[pipeline.net]
type = "Net"
streams = { inputs = "day" }
[pipeline.loss]
type = "Loss"
[pipeline.day]
try = ["iso", "german"]
streams = { inputs = "texts", outputs = "day" }
)" + more + "\n[pipeline.german]\ntype = \"" +
           second + "\"\n[pipeline.iso]\ntype = \"Iso\"\n";
}

std::string problems(const std::string& second) {
    return test::assemble_text(text(second), catalog()).problems;
}

}  // namespace

TEST_CASE("tried: components in turn write one stream, and their readers wait for the last") {
    const auto outcome = test::assemble_text(text("German"), catalog());
    REQUIRE(outcome.problems == "");
    CHECK(test::order_text(*outcome.plan) == "iso german net loss");
    const pipeline::Node& iso = node_named(*outcome.plan, "iso");
    const pipeline::Node& german = node_named(*outcome.plan, "german");
    CHECK(iso.written_streams() == german.written_streams());
    CHECK(iso.tried_in == "day");
    CHECK(iso.tries.empty());
    CHECK(german.tries == std::vector<std::string>{"iso", "german"});
    const pipeline::Stream& day = outcome.plan->stream(german.written_streams().front());
    CHECK(day.name == "day");
    CHECK(outcome.plan->node(day.producer).name == "german");
    CHECK(pipeline::stage_text(*outcome.plan, pipeline::Stage::kPre) == "day (iso or german)");
}

TEST_CASE("tried: the picture and the phases are those of the section that tries") {
    const auto outcome =
        test::assemble_text(text("German", "phases = [\"training\", \"predict\"]"), catalog());
    REQUIRE(outcome.plan);
    CHECK(node_named(*outcome.plan, "iso").runs_for == std::vector<bool>{true});
    const std::string drawn = pipeline::draw_text(pipeline::picture_of(*outcome.plan));
    CHECK(drawn.find("Iso (turn 1 in 'day')") != std::string::npos);
    CHECK(drawn.find("German (turn 2 in 'day')") != std::string::npos);
}

TEST_CASE("tried: a prediction needs all components that are tried") {
    auto outcome = test::assemble_for({.processed = {"training"}, .is_predicted = true},
                                      text("German"), catalog());
    REQUIRE(outcome.plan);
    Diagnostics none;
    find_prediction(*outcome.plan, {}, none);
    CHECK(none.text() == "");
    CHECK(test::order_text(*outcome.plan) == "iso german net loss");
}

TEST_CASE("tried: what does not treat each sample by itself is refused") {
    CHECK(problems("Whole") ==
          "e.toml:10:7: pipeline.day.try[1] = \"german\": Whole is a transform that computes on "
          "whole batches; only transforms that treat each sample by itself can be tried\n"
          "    fix: leave it out of try");
    CHECK(problems("Net") ==
          "e.toml:10:7: pipeline.day.try[1] = \"german\": Net is a model; only transforms that "
          "treat each sample by itself can be tried\n"
          "    fix: leave it out of try");
    std::string with_net = text("German");
    with_net.replace(with_net.find("\"german\"]"), 9, "\"net\"]");
    CHECK(test::assemble_text(with_net, catalog()).problems ==
          "e.toml:10:7: pipeline.day.try[1] = \"net\": Net is a model; only transforms that treat "
          "each sample by itself can be tried\n"
          "    fix: leave it out of try");
}

TEST_CASE("tried: what writes something else than the others is refused") {
    CHECK(test::assemble_text(text("German") + "[pipeline.german.streams]\ninputs = \"labels\"\n",
                              catalog())
              .problems ==
          "e.toml:13:1: pipeline.german: reads 'labels', but 'iso' (Iso), which 'day' tries, too, "
          "reads 'texts'\n"
          "    fix: name the same ones by streams = { ... } in [pipeline.german]");
    CHECK(problems("Words").find("pipeline.iso: writes floating numbers to stream 'day', but "
                                 "'german' (Words) writes lists of strings; components that are "
                                 "tried in turn must agree") != std::string::npos);
    CHECK(problems("Wide") ==
          "e.toml:13:1: pipeline.german: the components that 'day' tries disagree on stream 'day'\n"
          "    'iso' (Iso) writes [B, 3] as 'outputs'\n"
          "    'german' (Wide) writes [B, 4] as 'outputs'");
}

TEST_CASE("tried: what nothing reads is one warning, of the section that tries") {
    std::string unread = text("German");
    unread.replace(unread.find("streams = { inputs = \"day\" }"), 28,
                   "streams = { inputs = \"targets\" }");
    CHECK(
        test::assemble_text(unread, catalog())
            .problems.ends_with(
                "e.toml:9:1: warning: pipeline.day: nothing reads 'day', so that what it tries has no "
                "effect\n"
                "    fix: name the stream in a component that should read it, or set "
                "pipeline.day.enabled = false"));
}

TEST_CASE("tried: a port that no component has is refused where it is written") {
    std::string wrong = text("German");
    wrong.replace(wrong.find("outputs = \"day\""), 7, "output");
    CHECK(test::assemble_text(wrong, catalog())
              .problems.find("pipeline.day.streams.output: no component that it tries has a port "
                             "of this name; did you mean 'outputs'?") != std::string::npos);
}

TEST_CASE("tried: ports of other names are renamed where the component is") {
    const auto outcome = test::assemble_text(
        text("Other") + "[pipeline.german.streams]\ntext = \"texts\"\nday = \"day\"\n", catalog());
    CHECK(outcome.plan);
}

}  // namespace tried_test
