#include "support.hpp"

#include <doctest/doctest.h>

namespace order_test {

using namespace ptp;
using plugin::Kind;
using test::assemble_text;
using test::catalog_of;
using test::Make;

namespace {

plugin::Catalog catalog() {
    return catalog_of(
        {Make(Kind::kTask, "Task").out("x", "B"),
         Make(Kind::kTransform, "Step").in("in", "B").out("out", "B"),
         Make(Kind::kTransform, "Join").in("left", "B").in("right", "B").out("out", "B"),
         Make(Kind::kViewer, "Viewer").in("in", "B"),
         Make(Kind::kLoss, "Loss").in("in", "B").loss("loss")});
}

struct Step {
    const char* name;
    const char* type;
    const char* streams;
    const char* more = "";
};

test::Outcome assembled(const std::vector<Step>& steps) {
    std::string text =
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Task\", batch_size = 1 }\n[pipeline]\n";
    for (const Step& step : steps) {
        text += std::string(step.name) + " = { type = \"" + step.type + "\", streams = { " +
                step.streams + " } " + step.more + "}\n";
    }
    return assemble_text(text, catalog());
}

std::string order_of(const std::vector<Step>& steps) {
    const auto outcome = assembled(steps);
    CHECK(outcome.problems == "");
    return outcome.plan ? test::order_text(*outcome.plan) : "";
}

}  // namespace

TEST_CASE("order: writers come before readers, else components stay as they stand in the file") {
    CHECK(order_of({{"loss", "Loss", "in = 'c'"},
                    {"second", "Step", "in = 'b', out = 'c'"},
                    {"first", "Step", "in = 'x', out = 'b'"},
                    {"viewer", "Viewer", "in = 'x'"}}) == "first second loss viewer");
}

TEST_CASE("order: among those with a priority the lower comes first") {
    CHECK(order_of({{"loss", "Loss", "in = 'x'", ", priority = 9"},
                    {"a", "Viewer", "in = 'x'", ", priority = 6.25"},
                    {"b", "Viewer", "in = 'x'"},
                    {"c", "Viewer", "in = 'x'", ", priority = 6"}}) == "b c a loss");
}

TEST_CASE("order: a priority holds even behind a component that has none") {
    // `late` must wait for `slow`, so `viewer`, which comes after it, must wait too.
    CHECK(order_of({{"viewer", "Viewer", "in = 'x'", ", priority = 2"},
                    {"slow", "Step", "in = 'x', out = 'y'"},
                    {"late", "Loss", "in = 'y'", ", priority = 1"}}) == "slow late viewer");
}

TEST_CASE("order: a cycle is refused and its components are named") {
    CHECK(
        assembled({{"a", "Join", "left = 'x', right = 'q', out = 'p'"},
                   {"b", "Step", "in = 'p', out = 'r'"},
                   {"c", "Step", "in = 'r', out = 'q'"},
                   {"loss", "Loss", "in = 'q'"}})
            .problems ==
        "e.toml:5:5: pipeline.a: cycle in the pipeline: a -> b -> c -> a (stream 'p', stream 'r', "
        "stream 'q'); rename one of these");
}

TEST_CASE("order: a component that reads its own output is a cycle too") {
    CHECK(
        assembled({{"a", "Step", "in = 'p', out = 'p'"}, {"loss", "Loss", "in = 'p'"}}).problems ==
        "e.toml:5:5: pipeline.a: cycle in the pipeline: a -> a (stream 'p'); rename one of these");
}

TEST_CASE("order: a priority that contradicts the streams is refused, both are quoted") {
    CHECK(assembled({{"a", "Step", "in = 'x', out = 'y'", ", priority = 2"},
                     {"loss", "Loss", "in = 'y'", ", priority = 1.5"}})
              .problems ==
          "e.toml:6:61: pipeline.loss: priority 1.5 puts it before 'a' with priority 2, but stream "
          "'y' comes from 'a'; leave the priorities out, or give it a higher one");
}

TEST_CASE("order: a priority that contradicts the streams through others is refused") {
    CHECK(assembled({{"a", "Step", "in = 'x', out = 'y'", ", priority = 2"},
                     {"b", "Step", "in = 'y', out = 'z'"},
                     {"loss", "Loss", "in = 'z'", ", priority = 1"}})
              .problems ==
          "e.toml:7:61: pipeline.loss: priority 1 puts it before 'a' with priority 2, but what it "
          "needs depends on 'a'; leave the priorities out, or give it a higher one");
}

}  // namespace order_test
