#include "experiment/load/load.hpp"
#include "pipeline/assemble.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace group_globals_test {

using namespace ptp;
using plugin::Kind;
using test::Make;

namespace {

constexpr const char* kGroup = R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[group.tower]
streams = ["inputs", "scores"]
[group.tower.encoder]
type = "Encoder"
streams = { maps = "maps" }
[group.tower.head]
type = "Head"
streams = { inputs = "maps", predictions = "scores" }
[pipeline.loss]
type = "Loss"
streams = { predictions = "left" }
)";

plugin::Catalog catalog() {
    return test::catalog_of(
        {Make(Kind::kTask, "Images").out("inputs", "B, 3").out("targets", "B, 3"),
         Make(Kind::kModel, "Encoder")
             .in("inputs", "B, 3")
             .out("maps", "B, 4")
             .writes("width", "4"),
         Make(Kind::kModel, "Head")
             .in("inputs", "B, width")
             .out("predictions", "B, 3")
             .reads("width"),
         Make(Kind::kLoss, "Loss").in("predictions", "B, 3").in("targets", "B, 3").loss("loss")});
}

// The globals of each component, after those of groups were separated.
std::map<std::string, std::string> globals(const std::string& uses) {
    Diagnostics problems;
    experiment::GroupUses found;
    const auto root = experiment::load_experiment(
        {.file = "e.toml", .text = std::string(kGroup) + uses}, problems, nullptr, &found);
    REQUIRE(root);
    auto experiment = experiment::read_experiment(*root, {.default_name = "e"}, problems);
    const plugin::Catalog types = catalog();
    pipeline::separate_globals(found, types, "/home/ada", experiment);
    const auto plan = pipeline::assemble(experiment, types, "/home/ada", problems);
    CHECK(problems.reasons().find("publishes") == std::string::npos);
    std::map<std::string, std::string> named;
    for (const auto& component : experiment.pipeline.components) {
        for (const auto& renaming : component.names.globals) {
            named[component.name] += renaming.from + " -> " + renaming.to;
        }
    }
    return named;
}

using Named = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("groups: a global that a component publishes is that of its use, for readers there") {
    CHECK(globals("[pipeline.a]\nuse = \"tower\"\nstreams = { scores = \"left\" }\n"
                  "[pipeline.b]\nuse = \"tower\"\nstreams = { scores = \"right\" }\n") ==
          Named{{"a_encoder", "width -> a_width"},
                {"a_head", "width -> a_width"},
                {"b_encoder", "width -> b_width"},
                {"b_head", "width -> b_width"}});
}

TEST_CASE("groups: a use that shares another has its globals") {
    CHECK(globals("[pipeline.a]\nuse = \"tower\"\nmap = { scores = [\"left\", \"right\"] }\n") ==
          Named{{"a_1_encoder", "width -> a_1_width"},
                {"a_1_head", "width -> a_1_width"},
                {"a_2_encoder", "width -> a_1_width"},
                {"a_2_head", "width -> a_1_width"}});
}

TEST_CASE("groups: a global that the experiment names keeps its name") {
    CHECK(globals("[pipeline.a]\nuse = \"tower\"\nstreams = { scores = \"left\" }\n"
                  "[group.tower.encoder.globals]\nwidth = \"size\"\n"
                  "[group.tower.head.globals]\nwidth = \"size\"\n") ==
          Named{{"a_encoder", "width -> size"}, {"a_head", "width -> size"}});
}

}  // namespace group_globals_test
