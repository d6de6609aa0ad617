#include "pipeline/pass_through.hpp"
#include "pipeline/prediction.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

namespace predicted_inputs_test {

using namespace ptp;
using plugin::Kind;
using test::catalog_of;
using test::Make;
using test::node_named;

namespace {

using Runs = std::vector<bool>;

Runs runs(const pipeline::Plan& plan, const std::string& name) {
    return node_named(plan, name).runs_for;
}

}  // namespace

namespace {

// A transform that mixes samples and their targets, and one that makes inputs of the targets.
plugin::Catalog mixing_catalog() {
    constexpr auto kTargets = plugin::Purpose::kTargets;
    return catalog_of({Make(Kind::kTask, "Images")
                           .flag("has_answers", true)
                           .out("inputs", "B, 3")
                           .out("targets", "B", plugin::Element::kInteger)
                           .when("has_answers")
                           .purpose(kTargets),
                       Make(Kind::kTransform, "Mix")
                           .in("inputs", "B, 3")
                           .in("targets", "B", plugin::Element::kInteger)
                           .purpose(kTargets)
                           .out("outputs", "B, 3")
                           .meaning("inputs")
                           .out("soft_targets", "B, 3")
                           .purpose(kTargets),
                       Make(Kind::kTransform, "OneHot")
                           .in("inputs", "B", plugin::Element::kInteger)
                           .out("outputs", "B, 3"),
                       Make(Kind::kTransform, "Flip")
                           .strings("mask_streams")
                           .strings("mask_outputs")
                           .in("inputs", "B, 3")
                           .in("masks", "B", plugin::Element::kInteger)
                           .named_by("mask_streams")
                           .out("outputs", "B, 3")
                           .meaning("inputs")
                           .out("mask_outputs", "B", plugin::Element::kInteger)
                           .named_by("mask_outputs")
                           .meaning("masks"),
                       Make(Kind::kModel, "Net").in("inputs", "B, 3").out("predictions", "B, 3"),
                       Make(Kind::kLoss, "Loss")
                           .in("predictions", "B, 3")
                           .in("soft_targets", "B, 3")
                           .loss("loss"),
                       Make(Kind::kLoss, "MaskLoss")
                           .in("predictions", "B, 3")
                           .in("targets", "B", plugin::Element::kInteger)
                           .purpose(kTargets)
                           .loss("loss")});
}

// A model of what the first transform writes.
std::string mixing_text(const std::string& type, const std::string& net = "",
                        bool has_answers = true) {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[validation]
task = { type = "Images", batch_size = 1, has_answers = )" +
           std::string(has_answers ? "true" : "false") + R"( }
[pipeline.first]
type = ")" +
           type + R"("
streams = { outputs = "mixed")" +
           (type == "Mix" ? "" : ", inputs = \"targets\"") + R"( }
skip_if_missing = )" +
           (has_answers ? "false" : "true") + R"(
[pipeline.net]
type = "Net"
skip_if_missing = )" +
           (has_answers ? "false" : "true") + R"(
streams = { inputs = "mixed" }
)" + net + R"(
[pipeline.loss]
type = "Loss"
skip_if_missing = true
)" + (type == "Mix" ? "" : "streams = { soft_targets = \"mixed\" }\n");
}

}  // namespace

TEST_CASE("phases: what mixes samples and targets passes samples through that have none") {
    const pipeline::Purpose predicted{.processed = {"validation"}, .is_predicted = true};
    auto without = test::assemble_for(predicted, mixing_text("Mix", "", false), mixing_catalog());
    REQUIRE(without.plan);
    CHECK(runs(*without.plan, "first") == Runs{false});
    CHECK(node_named(*without.plan, "first").passes_for == Runs{true});
    CHECK(node_named(*without.plan, "first").passed_ports() ==
          std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}});
    CHECK(runs(*without.plan, "net") == Runs{true});
    CHECK(runs(*without.plan, "loss") == Runs{false});
    Diagnostics problems;
    const pipeline::Prediction found = pipeline::find_prediction(*without.plan, {}, problems);
    REQUIRE(found.streams.size() == 1);
    CHECK(found.streams.front().is_class_scores);

    auto with = test::assemble_for(predicted, mixing_text("Mix"), mixing_catalog());
    REQUIRE(with.plan);
    CHECK(runs(*with.plan, "first") == Runs{true});
    const pipeline::Prediction shown = pipeline::find_prediction(*with.plan, {}, problems);
    REQUIRE(shown.streams.size() == 1);
    CHECK(with.plan->stream(shown.streams.front().targets).name == "targets");

    auto lost = test::assemble_for(predicted, mixing_text("OneHot", "", false), mixing_catalog());
    REQUIRE(lost.plan);
    pipeline::find_prediction(*lost.plan, {}, problems);
    CHECK(problems.text().find(
              "pipeline: has nothing to predict: 'net' (Net) is computed from 'targets', which "
              "these samples lack\n    fix: train a model that reads what new samples have, or "
              "predict a section of the experiment") != std::string::npos);
}

namespace {

// Two transforms that move masks along with images; the second one also moves the classes of the
// samples' own files, which new samples have.
std::string moving_text(const std::string& first, bool has_answers) {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[validation]
task = { type = "Images", batch_size = 1, has_answers = )" +
           std::string(has_answers ? "true" : "false") + R"( }
[pipeline.first]
type = "Flip"
mask_streams = ["targets"]
mask_outputs = ["once"]
streams = { outputs = "flipped" }
)" + first +
           R"(
[pipeline.second]
type = "Flip"
mask_streams = ["once", "indices"]
mask_outputs = ["twice", "places"]
streams = { inputs = "flipped", outputs = "moved" }
skip_if_missing = true
[pipeline.net]
type = "Net"
streams = { inputs = "moved" }
[pipeline.loss]
type = "MaskLoss"
streams = { targets = "twice" }
skip_if_missing = true
)";
}

}  // namespace

TEST_CASE("phases: what moves masks along with images does without those that samples lack") {
    const pipeline::Purpose predicted{.processed = {"validation"}, .is_predicted = true};
    const std::string phase = "phases = [\"training\"]\npass_through = true\n";
    for (const std::string& first : {std::string(), phase}) {
        CAPTURE(first);
        auto made = test::assemble_for(
            predicted, moving_text(first + "skip_if_missing = true\n", false), mixing_catalog());
        REQUIRE(made.plan);
        CHECK(runs(*made.plan, "first") == Runs{first.empty()});
        CHECK(node_named(*made.plan, "first").written_streams().size() == 1);
        CHECK(node_named(*made.plan, "first").settings[0]->items().empty());
        const pipeline::Node& second = node_named(*made.plan, "second");
        CHECK(runs(*made.plan, "second") == Runs{true});
        REQUIRE(second.inputs.size() == 2);
        CHECK(second.inputs[1].wire.stream == "indices");
        REQUIRE(second.outputs.size() == 2);
        CHECK(second.outputs[1].wire.stream == "places");
        REQUIRE(second.settings[1]->items().size() == 1);
        CHECK(second.settings[1]->items()[0].as_string() == "places");
        CHECK(runs(*made.plan, "net") == Runs{true});
        CHECK(runs(*made.plan, "loss") == Runs{false});
        Diagnostics problems;
        const pipeline::Prediction found = pipeline::find_prediction(*made.plan, {}, problems);
        REQUIRE(found.streams.size() == 1);
        CHECK(found.streams.front().is_class_scores);
        CHECK(problems.text().empty());

        // Samples that a program feeds have no targets, though those of the section do.
        auto fed = test::assemble_for(predicted, moving_text(first, true), mixing_catalog());
        REQUIRE(fed.plan);
        CHECK(node_named(*fed.plan, "second").written_streams().size() == 3);
        pipeline::leave_targets_out(*fed.plan);
        CHECK(node_named(*fed.plan, "second").written_streams().size() == 2);
        CHECK(runs(*fed.plan, "loss") == Runs{false});
        CHECK(runs(*fed.plan, "net") == Runs{true});

        const std::vector<pipeline::Draft> none;
        CHECK(test::assemble_for({.processed_tasks = &none}, moving_text(first, true),
                                 mixing_catalog())
                  .problems.find("targets lack") == std::string::npos);
    }
}

TEST_CASE("phases: a model that is computed from the targets is warned of before training") {
    const auto warned = [](const std::string& text) {
        const std::vector<pipeline::Draft> none;
        return test::assemble_for({.processed_tasks = &none}, text, mixing_catalog()).problems;
    };
    CHECK(
        warned(mixing_text("OneHot")) ==
        "e.toml:8:41: pipeline.first: warning: input 'inputs' reads 'targets', which samples without "
        "targets lack: 'net' (Net), which is computed from it, predicts nothing there\n"
        "    fix: let 'net' (Net) read what new samples have; or phases = [\"training\", "
        "\"validation\"] in [pipeline.net], if nothing is to be predicted");
    CHECK(warned(mixing_text("OneHot", "phases = [\"training\", \"validation\"]")) == "");
    CHECK(warned(mixing_text("Mix")) == "");
    // The model lacks its input also where the transform may be skipped.
    std::string skipped = mixing_text("OneHot");
    skipped.replace(skipped.find("= false"), 7, "= true");
    CHECK(warned(skipped) == warned(mixing_text("OneHot")));
}

TEST_CASE("compared: what reads the targets as its predictions is refused") {
    const auto problems = [](const std::string& streams) {
        return test::assemble_text(
                   "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = "
                   "\"Rows\", batch_size = 1 }\n[pipeline.net]\ntype = \"Net\"\n[pipeline.loss]\n"
                   "type = \"Loss\"\nstreams = { " +
                       streams + " }\n",
                   catalog_of(
                       {Make(Kind::kTask, "Rows")
                            .out("inputs", "B, 3")
                            .out("values", "B, 3")
                            .purpose(plugin::Purpose::kTargets),
                        Make(Kind::kModel, "Net").in("inputs", "B, 3").out("predictions", "B, 3"),
                        Make(Kind::kLoss, "Loss")
                            .in("predictions", "B, 3")
                            .in("targets", "B, 3")
                            .purpose(plugin::Purpose::kTargets)
                            .loss("loss")}))
            .problems;
    };
    CHECK(problems("targets = \"values\"") == "");
    CHECK(problems("predictions = \"values\"") ==
          "e.toml:8:27: pipeline.loss: input 'predictions' reads stream 'values', what is right, "
          "which is to be read as 'targets'\n"
          "    fix: write streams = { targets = \"values\" } in pipeline.loss");
    CHECK(problems("predictions = \"values\", targets = \"values\"") ==
          "e.toml:8:27: pipeline.loss: input 'predictions' reads stream 'values', what is right, "
          "which is to be read as 'targets': it is compared with itself\n"
          "    fix: write streams = { targets = \"values\" } in pipeline.loss");
    CHECK(problems("targets = \"predictions\"") ==
          "e.toml:8:23: pipeline.loss: inputs 'predictions' and 'targets' read one stream, "
          "'predictions': it is compared with itself\n"
          "    fix: write streams = { targets = \"values\" } in pipeline.loss");
}

}  // namespace predicted_inputs_test
