#include "pipeline/pass_through.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

namespace pass_through_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;
using test::node_named;

namespace {

plugin::Catalog catalog() {
    return test::catalog_of(
        {Make(Kind::kTask, "Images").out("inputs", "B, 3").out("targets", "B, 3"),
         Make(Kind::kTransform, "Shift").in("inputs", "B, 3").out("outputs", "B, 3"),
         Make(Kind::kTransform, "Widen").in("inputs", "B, 3").out("outputs", "B, 6"),
         Make(Kind::kTransform, "Project").in("inputs", "...").out("outputs", "B, 6"),
         Make(Kind::kTransform, "Round")
             .in("inputs", "B, 3")
             .out("outputs", "B, 3", Element::kInteger),
         Make(Kind::kTransform, "Split")
             .in("inputs", "B, 3")
             .out("outputs", "B, 3")
             .out("rest", "B, 3"),
         Make(Kind::kTransform, "Sort").in("inputs", "B, 3").out("kinds", "B", Element::kInteger),
         Make(Kind::kModel, "Net").in("inputs", "B, *").out("predictions", "B, 3"),
         Make(Kind::kStatistic, "Error").in("predictions", "B, 3").statistic("error"),
         Make(Kind::kLoss, "Loss").in("predictions", "B, 3").in("targets", "B, 3").loss("loss")});
}

// A transform that runs in the training alone, and a model of what it writes.
std::string text(const std::string& type, const std::string& keys,
                 const std::string& read = "shifted") {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[validation]
task = { type = "Images", batch_size = 1 }
[pipeline.shift]
type = ")" +
           type + "\"\nstreams = { outputs = \"shifted\" }\n" + keys + R"(
[pipeline.net]
type = "Net"
streams = { inputs = ")" +
           read + R"(" }
[pipeline.loss]
type = "Loss"
)";
}

std::string problems(const std::string& type, const std::string& keys) {
    const std::vector<pipeline::Draft> none;
    return test::assemble_for({.processed_tasks = &none}, text(type, keys), catalog()).problems;
}

constexpr const char* kPassing = "phases = [\"training\"]\npass_through = true";

using Runs = std::vector<bool>;

}  // namespace

TEST_CASE("pass through: outside of its phases a component does not run, and writes its input") {
    const auto trained = test::assemble_text(text("Shift", kPassing), catalog());
    REQUIRE(trained.problems == "");
    const pipeline::Node& node = node_named(*trained.plan, "shift");
    CHECK(node.runs_for == Runs{true, false});
    CHECK(node.passes_for == Runs{false, true});
    CHECK(node.passed_ports() == std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}});
    CHECK(node_named(*trained.plan, "net").runs_for == Runs{true, true});
    CHECK(problems("Shift", kPassing) == "");  // predictions have it, too
    const auto predicted = test::assemble_for({.processed = {"validation"}, .is_predicted = true},
                                              text("Shift", kPassing), catalog());
    REQUIRE(predicted.plan);
    CHECK(node_named(*predicted.plan, "shift").passes_for == Runs{true});
}

TEST_CASE("pass through: a sampler reads what a transform makes of a stream that passes through") {
    std::string sorted = text("Shift", kPassing);
    for (const std::string part : {"[training]\n0.0, 0.5", "[validation]\n0.5, 1.0"}) {
        const std::size_t end = part.find('\n') + 1;
        sorted.insert(sorted.find(part.substr(0, end)) + end,
                      "sampler = { type = \"StratifiedSplitSampler\", share = [" +
                          part.substr(end) + "], label_stream = \"kinds\" }\n");
    }
    CHECK(test::assemble_text(sorted + "[pipeline.sort]\ntype = \"Sort\"\n"
                                       "streams = { inputs = \"shifted\" }\n",
                              catalog())
              .problems == "");
}

TEST_CASE("pass through: who lacks a stream is told that its writer could pass it through") {
    CHECK(problems("Shift", "phases = [\"training\"]") ==
          "e.toml:12:22: pipeline.net: input 'inputs' reads stream 'shifted', which 'shift' "
          "(Shift) does not write in [validation]; to leave it out there, write skip_if_missing = "
          "true or phases = [\"training\"]; to read there what 'shift' reads, pass_through = true "
          "in [pipeline.shift]\n"
          "e.toml:12:22: pipeline.net: input 'inputs' reads stream 'shifted', which 'shift' "
          "(Shift) does not write when new samples are predicted\n"
          "    fix: phases = [\"training\", \"predict\"] in [pipeline.shift]; pass_through = true "
          "there, if its input is to be read in its place; or phases = [\"training\"] here, too, "
          "if nothing is to be predicted");
    CHECK(problems("Round", "phases = [\"training\"]").find("pass_through") == std::string::npos);
}

TEST_CASE("pass through: only what has the type of the input takes its place") {
    constexpr const char* kFix =
        "\n    fix: leave it out, and name all phases in which it is to run";
    const std::string place = "e.toml:10:16: pipeline.shift.pass_through: ";
    CHECK(problems("Widen", kPassing) == place +
                                             "its output 'outputs' is [B, 6], its input 'inputs' "
                                             "is [B, 3]; what passes through has one shape" +
                                             kFix);
    CHECK(problems("Project", kPassing) == problems("Widen", kPassing));
    CHECK(test::assemble_text(text("Round", kPassing, "inputs"), catalog())
              .problems.find(place +
                             "its output 'outputs' has integers, its input 'inputs' has floating "
                             "numbers; what passes through has one type" +
                             kFix) != std::string::npos);
    CHECK(
        problems("Split", kPassing)
            .find(
                place +
                "Split writes 2 streams and reads 1 stream; each that it writes needs one to pass "
                "through" +
                kFix) != std::string::npos);
}

TEST_CASE("pass through: a statistic has nothing to pass through") {
    std::string wrong = text("Shift", kPassing) + "[pipeline.error]\ntype = \"Error\"\n";
    CHECK(test::assemble_text(wrong + kPassing, catalog()).problems ==
          "e.toml:19:16: pipeline.error.pass_through: Error is a statistic; only transforms and "
          "models pass through what they read\n"
          "    fix: skip_if_missing = true in what reads its streams, in its place");
}

TEST_CASE("pass through: the picture states it") {
    const auto outcome = test::assemble_text(text("Shift", kPassing), catalog());
    REQUIRE(outcome.plan);
    CHECK(pipeline::draw_text(pipeline::picture_of(*outcome.plan))
              .find("Shift (passes through outside of its phases)") != std::string::npos);
}

}  // namespace pass_through_test
