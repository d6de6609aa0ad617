#include "pipeline/meaning.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

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
    components.push_back(Make(Kind::kTransform, "Softmax")
                             .in("inputs", "B, size")
                             .out("outputs", "B, size")
                             .meaning("probabilities"));
    components.push_back(Make(Kind::kTransform, "Positive")
                             .in("inputs", "B, size")
                             .out("outputs", "B, size")
                             .meaning("non_negative"));
    components.push_back(Make(Kind::kModel, "Counts")
                             .in("inputs", "B, 1, 32, 32")
                             .out("predictions", "B, 10")
                             .meaning("non_negative"));
    components.push_back(Make(Kind::kTransform, "Normalized")
                             .in("inputs", "B, size")
                             .meaning("scores|values")
                             .out("outputs", "B, size")
                             .meaning("log_probabilities"));
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
          "    'l' (Logits) takes raw scores or numbers of any range as 'predictions'\n"
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
          "    'l' (Logits) takes raw scores or numbers of any range as 'predictions'\n"
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

namespace {

// Scores, and their softmax with these keys, which the loss reads.
std::string softmax(const std::string& keys) {
    return "[pipeline.net]\ntype = \"Plain\"\n[pipeline.soft]\ntype = \"Softmax\"\n"
           "streams = { inputs = \"predictions\", outputs = \"p\" }\n" +
           keys + "[pipeline.l]\ntype = \"Logits\"\nstreams = { predictions = \"p\" }\n";
}

constexpr const char* kValidation =
    "[validation]\ntask = { type = \"Images\", batch_size = 1, resize_image = [32, 32] }\n";

}  // namespace

TEST_CASE("meaning: what passes through in a section is there what flows in") {
    CHECK(problems_of(softmax("phases = [\"predict\"]\npass_through = true\n")) == "");
    const std::string clash =
        "pipeline.l: stream 'p' carries probabilities, which Logits does not take\n"
        "    'soft' (Softmax) writes probabilities as 'outputs'\n"
        "    'l' (Logits) takes raw scores or numbers of any range as 'predictions'\n"
        "    fix: write streams.predictions = \"predictions\" in pipeline.l";
    CHECK(problems_of(softmax("")) == "e.toml:13:1: " + clash);
    CHECK(problems_of(softmax("phases = [\"training\"]\npass_through = true\n") + kValidation) ==
          "e.toml:15:1: " + clash);
    CHECK(problems_of(softmax("phases = [\"validation\"]\npass_through = true\n") + kValidation) ==
          "e.toml:15:1: " + clash);
    CHECK(problems_of(softmax("phases = [\"test\"]\npass_through = true\n") + kValidation) == "");
}

TEST_CASE("meaning: numbers from 0 on are taken, and warned of where scores are") {
    const auto behind = [](const std::string& limit, const std::string& reader) {
        return problems_of("[pipeline.net]\ntype = \"Plain\"\n[pipeline.limit]\ntype = \"" + limit +
                           "\"\nstreams = { inputs = \"predictions\", outputs = \"p\" }\n" +
                           reader);
    };
    const std::string loss = "streams = { predictions = \"p\" }\n";
    CHECK(
        behind("Positive", "[pipeline.l]\ntype = \"Logits\"\n" + loss) ==
        "e.toml:13:1: warning: pipeline.l: takes raw scores, of both signs, and 'limit' "
        "(Positive) writes numbers from 0 on: what is below 0 becomes 0, and learns nothing there\n"
        "    fix: write streams.predictions = \"predictions\" in pipeline.l");
    const std::string normalized =
        "[pipeline.n]\ntype = \"Normalized\"\nstreams = { inputs = \"p\", outputs = \"q\" }\n"
        "[pipeline.l]\ntype = \"Likelihood\"\nstreams = { predictions = \"q\" }\n";
    CHECK(
        behind("Softmax", normalized) ==
        "e.toml:13:1: warning: pipeline.n: takes raw scores, of both signs, and 'limit' (Softmax) "
        "writes probabilities: with scores so close to each other no class is likely, of 10 "
        "classes none by more than 0.24\n"
        "    fix: write streams.inputs = \"predictions\" in pipeline.n");
    CHECK(problems_of("[pipeline.net]\ntype = \"Counts\"\n[pipeline.l]\ntype = \"Logits\"\n") ==
          "e.toml:10:1: warning: pipeline.l: takes raw scores, of both signs, and 'net' (Counts) "
          "writes numbers from 0 on: what is below 0 becomes 0, and learns nothing there\n"
          "    fix: let 'net' (Counts) write raw scores");
    plugin::Catalog with_distance = catalog();
    with_distance.plugins[0].manifest.components.push_back(
        ::meaning_test::loss("Distance", "scores|probabilities|values"));
    CHECK(assemble_text(experiment_text("[pipeline.net]\ntype = \"Counts\"\n[pipeline.l]\ntype = "
                                        "\"Distance\"\n"),
                        with_distance)
              .problems == "");
    CHECK(
        behind("Positive", "[pipeline.l]\ntype = \"Likelihood\"\n" + loss) ==
        "e.toml:13:1: pipeline.l: stream 'p' carries numbers from 0 on, which Likelihood does not "
        "take\n"
        "    'limit' (Positive) writes numbers from 0 on as 'outputs'\n"
        "    'l' (Likelihood) takes log-probabilities as 'predictions'\n"
        "    fix: set pipeline.l.type = \"Logits\", which takes numbers from 0 on");
}

TEST_CASE("meaning: what makes no probabilities of scores may be right behind numbers from 0 on") {
    plugin::Catalog with_scaled = catalog();
    with_scaled.plugins[0].manifest.components.push_back(Make(Kind::kTransform, "Scaled")
                                                             .in("inputs", "B, size")
                                                             .meaning("scores|values")
                                                             .out("outputs", "B, size")
                                                             .meaning("scores"));
    CHECK(assemble_text(experiment_text(
                            "[pipeline.net]\ntype = \"Counts\"\n[pipeline.n]\ntype = \"Scaled\"\n"
                            "streams = { inputs = \"predictions\", outputs = \"p\" }\n"
                            "[pipeline.l]\ntype = \"Logits\"\nstreams = { predictions = \"p\" }\n"),
                        with_scaled)
              .problems == "");
}

namespace {

// A jitter of colors with these streams, behind a task with these settings and these components.
std::string jittered(const std::string& task, const std::string& before,
                     const std::string& streams) {
    plugin::Setting normalize = test::setting_of(plugin::SettingType::kPath, "scale");
    normalize.is_preparation = true;
    const plugin::Catalog photos =
        test::catalog_of({Make(Kind::kTask, "Photos")
                              .setting(normalize)
                              .out("inputs", "B, 3")
                              .meaning("values if scale"),
                          Make(Kind::kTransform, "Flip")
                              .in("inputs", "B, 3")
                              .out("outputs", "B, 3")
                              .meaning("inputs"),
                          Make(Kind::kTransform, "Scale")
                              .in("inputs", "B, 3")
                              .out("outputs", "B, 3")
                              .meaning("values"),
                          Make(Kind::kTransform, "Jitter")
                              .in("inputs", "B, 3")
                              .meaning("probabilities")
                              .out("jittered", "B, 3")
                              .meaning("inputs"),
                          Make(Kind::kLoss, "Loss").in("jittered", "B, 3").loss("loss")});
    return assemble_text(
               "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
               "task = { type = \"Photos\", batch_size = 1" +
                   task + " }\n" + before + "[pipeline.jitter]\ntype = \"Jitter\"\n" + streams +
                   "[pipeline.loss]\ntype = \"Loss\"\n",
               photos)
        .problems;
}

}  // namespace

TEST_CASE("meaning: a transform that takes numbers from 0 to 1 is refused behind a normalization") {
    const std::string flip =
        "[pipeline.flip]\ntype = \"Flip\"\nstreams = { outputs = \"flipped\" }\n";
    const std::string reads = "streams = { inputs = \"flipped\" }\n";
    CHECK(jittered("", "", "") == "");
    CHECK(jittered("", flip, reads) == "");
    const std::string fix =
        "    fix: leave scale out of training.task, and add a Scale that reads what "
        "pipeline.jitter writes";
    CHECK(
        jittered(", scale = \"a\"", "", "") ==
        "e.toml:4:1: pipeline.jitter: stream 'inputs' carries numbers of any range, which Jitter does not "
        "take\n"
        "    the task of [training] (Photos) writes numbers of any range as 'inputs'\n"
        "    'jitter' (Jitter) takes numbers from 0 to 1 as 'inputs'\n" +
            fix);
    CHECK(jittered(", scale = \"a\"", flip, reads).ends_with(fix));
    CHECK(
        jittered("", "[pipeline.s]\ntype = \"Scale\"\nstreams = { outputs = \"scaled\" }\n" + flip,
                 "streams = { inputs = \"scaled\" }\n")
            .ends_with("    fix: put pipeline.jitter before pipeline.s: let it read 'inputs', and "
                       "pipeline.s what it writes"));
}

TEST_CASE("meaning: limited scores are warned of where something is trained alone") {
    const std::string text =
        experiment_text("[pipeline.net]\ntype = \"Counts\"\n[pipeline.l]\ntype = \"Logits\"\n");
    CHECK(assemble_text(text, catalog()).problems.find("takes raw scores") != std::string::npos);
    for (const bool is_predicted : {false, true}) {
        CHECK(test::assemble_for({.processed = {"training"}, .is_predicted = is_predicted}, text,
                                 catalog())
                  .problems == "");
    }
}

TEST_CASE("meaning: a loss is left out of predictions that are what it does not take") {
    const auto outcome = test::assemble_for(
        {.processed = {"training"}, .is_predicted = true},
        experiment_text(softmax("phases = [\"predict\"]\npass_through = true\n")), catalog());
    CHECK(outcome.problems ==
          "e.toml:15:1: warning: pipeline.l: stream 'p' carries probabilities when new samples are "
          "predicted, which Logits does not take: it is left out there\n"
          "    fix: write phases = [\"training\", \"validation\", \"test\"] in [pipeline.l]");
    REQUIRE(outcome.plan);
    CHECK(!test::node_named(*outcome.plan, "l").runs_on(0));
    CHECK(test::node_named(*outcome.plan, "soft").runs_on(0));
}

namespace {

// The predictions that stay between 0 and 1 in the training: of a loss with these keys, behind a
// sigmoid with these.
std::size_t limited(const std::string& sigmoid, const std::string& loss) {
    const plugin::Catalog components =
        test::catalog_of({Make(Kind::kTask, "Rows")
                              .out("inputs", "B, 3")
                              .out("targets", "B, 3")
                              .purpose(plugin::Purpose::kTargets),
                          Make(Kind::kModel, "Net").in("inputs", "B, 3").out("raw", "B, 3"),
                          Make(Kind::kTransform, "Sigmoid")
                              .in("raw", "B, 3")
                              .out("predictions", "B, 3")
                              .meaning("probabilities"),
                          Make(Kind::kLoss, "Distance")
                              .in("predictions", "B, 3")
                              .meaning("values|probabilities")
                              .in("targets", "B, 3")
                              .purpose(plugin::Purpose::kTargets)
                              .loss("loss"),
                          Make(Kind::kLoss, "Other").in("raw", "B, 3").loss("other")});
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Rows\", batch_size = 1 }\n"
        "[validation]\ntask = { type = \"Rows\", batch_size = 1 }\n"
        "[pipeline.net]\ntype = \"Net\"\n[pipeline.other]\ntype = \"Other\"\n"
        "[pipeline.sigmoid]\ntype = \"Sigmoid\"\n" +
            sigmoid + "[pipeline.loss]\ntype = \"Distance\"\n" + loss,
        components);
    CHECK(outcome.problems == "");
    REQUIRE(outcome.plan);
    return pipeline::limited_predictions(*outcome.plan).size();
}

}  // namespace

TEST_CASE("meaning: predictions are limited where a sigmoid and the loss run in the training") {
    CHECK(limited("", "") == 1);
    CHECK(limited("phases = [\"training\"]\npass_through = true\n", "") == 1);
    CHECK(limited("phases = [\"predict\"]\npass_through = true\n", "") == 0);
    CHECK(limited("phases = [\"validation\"]\npass_through = true\n", "") == 0);
    CHECK(limited("", "phases = [\"validation\"]\n") == 0);
}

}  // namespace meaning_test
