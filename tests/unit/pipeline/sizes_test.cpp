#include "pipeline/sizes.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

namespace sizes_test {

using namespace ptp;
using plugin::Kind;
using test::catalog_of;
using test::Make;

namespace {

// net: inputs [B, width = ?] -> features [B, n, n]
test::Outcome assembled() {
    auto outcome = test::assemble_text(
        R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Task", batch_size = 1 }
[pipeline.net]
type = "Net"
[pipeline.loss]
type = "Loss"
)",
        catalog_of({Make(Kind::kTask, "Task").out("inputs", "B, 3, *"),
                    Make(Kind::kModel, "Net")
                        .in("inputs", "B, 3, width")
                        .out("features", "B, n, n")
                        .writes("feature_size")
                        .out("more", "..."),
                    Make(Kind::kLoss, "Loss").in("features", "B, 5, m").loss("loss")}));
    REQUIRE(outcome.problems == "");
    return outcome;
}

}  // namespace

TEST_CASE("sizes: a size that is learnt is known everywhere its name is used") {
    auto outcome = assembled();
    auto& plan = *outcome.plan;
    const auto& net = test::node_named(plan, "net");
    CHECK(pipeline::learn_size(plan, net.symbols.at("width"), 7, "seen in the data") ==
          std::nullopt);
    CHECK(pipeline::shape_text(plan, net.inputs[0].shape) == "[B, 3, width = 7]");
    CHECK(pipeline::learn_size(plan, net.symbols.at("width"), 7, "seen again") == std::nullopt);
    CHECK(pipeline::learn_size(plan, net.symbols.at("width"), 8, "published by 'x' (X)") ==
          "net.width = 8 (published by 'x' (X)), but it is 7 already (seen in the data)");
    CHECK(pipeline::shape_text(plan, net.inputs[0].shape) == "[B, 3, width = 7]");
    plan.symbols[static_cast<std::size_t>(net.symbols.at("width"))].origin =
        "pipeline.flat.dims[1]";
    CHECK(pipeline::learn_size(plan, net.symbols.at("width"), 8, "published by 'x' (X)") ==
          "net.width = 8 (published by 'x' (X)), but it is 7 already (pipeline.flat.dims[1])\n"
          "    fix: set pipeline.flat.dims[1] = 8");
}

TEST_CASE("sizes: the number of samples is never learnt") {
    auto outcome = assembled();
    CHECK(pipeline::learn_size(*outcome.plan, pipeline::kBatchSymbol, 64, "x") == std::nullopt);
    CHECK(outcome.plan->symbols[0].size == std::nullopt);
}

TEST_CASE("sizes: a tensor is compared with what its port declares") {
    const auto outcome = assembled();
    const auto& plan = *outcome.plan;
    const auto& net = test::node_named(plan, "net");
    const auto check = [&](const pipeline::Binding& binding,
                           const std::vector<std::int64_t>& sizes) {
        return pipeline::check_shape(plan, net, binding, sizes, 2).value_or("good");
    };
    CHECK(check(net.inputs[0], {2, 3, 9}) == "good");
    CHECK(check(net.outputs[0], {2, 5, 5}) == "good");
    CHECK(
        check(net.outputs[0], {1, 5, 5}) ==
        "'net' (Net) writes [1, 5, 5] to stream 'features', but its port 'features' is declared as "
        "[B, n = 5, n = 5] (B = 2)");
    CHECK(
        check(net.outputs[0], {2, 4, 4}) ==
        "'net' (Net) writes [2, 4, 4] to stream 'features', but its port 'features' is declared as "
        "[B, n = 5, n = 5] (B = 2)");
    CHECK(check(net.inputs[0], {2, 3}) ==
          "'net' (Net) reads [2, 3] from stream 'inputs', but its port 'inputs' is declared as [B, "
          "3, width] (B = 2)");
    CHECK(check(net.outputs[1], {2, 3, 4, 5}) == "good");
}

TEST_CASE("sizes: equal names are equal sizes even where the size is not known") {
    const auto outcome = test::assemble_text(
        R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Task", batch_size = 1 }
[pipeline.loss]
type = "Loss"
)",
        catalog_of({Make(Kind::kTask, "Task").out("square", "B, n, n"),
                    Make(Kind::kLoss, "Loss").in("square", "B, *, *").loss("loss")}));
    REQUIRE(outcome.problems == "");
    const auto& task = outcome.plan->tasks[0];
    const auto check = [&](const std::vector<std::int64_t>& sizes) {
        return pipeline::check_shape(*outcome.plan, task, task.outputs[0], sizes, 2);
    };
    CHECK(check({2, 4, 4}) == std::nullopt);
    CHECK(check({2, 4, 5}) ==
          "the task of [training] (Task) writes [2, 4, 5] to stream 'square', but its port "
          "'square' is declared as [B, n, n] (B = 2)");
}

}  // namespace sizes_test
