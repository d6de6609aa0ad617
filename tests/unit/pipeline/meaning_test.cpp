#include "support.hpp"

#include <doctest/doctest.h>

namespace meaning_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::assemble_text;
using test::experiment_text;
using test::Make;

namespace {

Make loss(const char* name, const char* meaning) {
    return Make(Kind::kLoss, name)
        .in("predictions", "B, classes")
        .meaning(meaning)
        .in("targets", "B", Element::kInteger)
        .loss("loss");
}

plugin::Catalog catalog() {
    plugin::Catalog catalog = test::usual_catalog();
    auto& components = catalog.plugins[0].manifest.components;
    components.push_back(Make(Kind::kModel, "Soft")
                             .flag("use_logsoftmax", true)
                             .in("inputs", "B, 1, 32, 32")
                             .out("predictions", "B, 10")
                             .meaning("log_probabilities if use_logsoftmax; scores"));
    components.push_back(Make(Kind::kModel, "Plain")
                             .in("inputs", "B, 1, 32, 32")
                             .out("predictions", "B, 10")
                             .meaning("scores"));
    components.push_back(Make(Kind::kTransform, "Same")
                             .in("inputs", "B, size")
                             .out("outputs", "B, size")
                             .meaning("inputs"));
    components.push_back(Make(Kind::kTransform, "Joined")
                             .strings("input_streams")
                             .in("inputs", "B, size")
                             .named_by("input_streams")
                             .out("outputs", "B, size")
                             .meaning("inputs"));
    components.push_back(loss("Logits", "scores|values"));
    components.push_back(loss("Likelihood", "log_probabilities"));
    return catalog;
}

std::string problems_of(std::string_view pipeline_text) {
    return assemble_text(experiment_text(pipeline_text), catalog()).problems;
}

}  // namespace

TEST_CASE("meaning: an input gets what it takes, and what is not declared is taken") {
    CHECK(problems_of("[pipeline.net]\ntype = \"Soft\"\n[pipeline.l]\ntype = \"Likelihood\"\n") ==
          "");
    CHECK(problems_of("[pipeline.net]\ntype = \"Plain\"\n[pipeline.l]\ntype = \"Logits\"\n") == "");
    CHECK(problems_of("[pipeline.net]\ntype = \"Soft\"\n[pipeline.l]\ntype = \"Loss\"\n") == "");
    CHECK(problems_of("[pipeline.net]\ntype = \"Soft\"\nuse_logsoftmax = false\n[pipeline.l]\n"
                      "type = \"Logits\"\n") == "");
}

TEST_CASE("meaning: both sides are named, and the switch of the writer that fixes it") {
    CHECK(problems_of("[pipeline.net]\ntype = \"Soft\"\n[pipeline.l]\ntype = \"Logits\"\n") ==
          "e.toml:10:1: pipeline.l: stream 'predictions' carries log-probabilities, which Logits "
          "does not take\n"
          "    'net' (Soft) writes log-probabilities as 'predictions'\n"
          "    'l' (Logits) takes raw scores or other values as 'predictions'\n"
          "    fix: set pipeline.net.use_logsoftmax = false");
    CHECK(problems_of("[pipeline.net]\ntype = \"Soft\"\nuse_logsoftmax = false\n[pipeline.l]\n"
                      "type = \"Likelihood\"\n") ==
          "e.toml:11:1: pipeline.l: stream 'predictions' carries raw scores, which Likelihood does "
          "not take\n"
          "    'net' (Soft) writes raw scores as 'predictions'\n"
          "    'l' (Likelihood) takes log-probabilities as 'predictions'\n"
          "    fix: set pipeline.net.use_logsoftmax = true");
}

TEST_CASE("meaning: without a switch another component in the reader's place fixes it") {
    CHECK(problems_of("[pipeline.net]\ntype = \"Plain\"\n[pipeline.l]\ntype = \"Likelihood\"\n") ==
          "e.toml:10:1: pipeline.l: stream 'predictions' carries raw scores, which Likelihood does "
          "not take\n"
          "    'net' (Plain) writes raw scores as 'predictions'\n"
          "    'l' (Likelihood) takes log-probabilities as 'predictions'\n"
          "    fix: set pipeline.l.type = \"Logits\", which takes raw scores");
}

TEST_CASE("meaning: transforms that keep the numbers keep what they are") {
    const std::string same = R"([pipeline.net]
type = "Soft"
[pipeline.same]
type = "Same"
streams = { inputs = "predictions", outputs = "p" }
[pipeline.l]
type = "Logits"
streams = { predictions = "p" }
)";
    CHECK(problems_of(same) ==
          "e.toml:13:1: pipeline.l: stream 'p' carries log-probabilities, which Logits does not "
          "take\n"
          "    'net' (Soft) writes log-probabilities as 'predictions'\n"
          "    'l' (Logits) takes raw scores or other values as 'predictions'\n"
          "    fix: set pipeline.net.use_logsoftmax = false");
    const auto joined = [](const char* other) {
        return std::string(R"([pipeline.net]
type = "Soft"
[pipeline.other]
streams = { predictions = "q" }
type = ")") + other +
               R"("
[pipeline.joined]
type = "Joined"
input_streams = ["predictions", "q"]
streams = { outputs = "p" }
[pipeline.l]
type = "Logits"
streams = { predictions = "p" }
)";
    };
    CHECK(problems_of(joined("Soft")).find("stream 'p' carries log-probabilities") !=
          std::string::npos);
    CHECK(problems_of(joined("Plain")) == "");  // neither the one nor the other
}

}  // namespace meaning_test
