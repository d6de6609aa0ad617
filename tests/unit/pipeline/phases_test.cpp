#include "pipeline/pass_through.hpp"
#include "pipeline/prediction.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

namespace phases_test {

using namespace ptp;
using plugin::Kind;
using test::assemble_text;
using test::catalog_of;
using test::Make;
using test::node_named;

namespace {

// A task whose targets can be left out, a model, a loss, and a statistic of the loss's output.
plugin::Catalog catalog() {
    return catalog_of({Make(Kind::kTask, "Images")
                           .flag("has_answers", true)
                           .out("inputs", "B, 3")
                           .out("targets", "B, 3")
                           .when("has_answers"),
                       Make(Kind::kModel, "Net").in("inputs", "B, 3").out("predictions", "B, 3"),
                       Make(Kind::kLoss, "Loss")
                           .in("predictions", "B, 3")
                           .in("targets", "B, 3")
                           .loss("loss")
                           .out("errors", "B, 3"),
                       Make(Kind::kStatistic, "Worst").in("errors", "B, 3").statistic("worst")});
}

// Training and validation with targets, a test without.
std::string experiment_text(const std::string& loss, const std::string& worst = "",
                            const std::string& validation = "") {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[validation]
task = { type = "Images", batch_size = 1)" +
           validation + R"( }
[test]
task = { type = "Images", batch_size = 1, has_answers = false }
[pipeline.net]
type = "Net"
[pipeline.loss]
type = "Loss"
)" + loss + "\n[pipeline.worst]\ntype = \"Worst\"\n" +
           worst;
}

using Runs = std::vector<bool>;

Runs runs(const pipeline::Plan& plan, const char* node) {
    return node_named(plan, node).runs_for;
}

}  // namespace

TEST_CASE("phases: a component runs where it is said, or everywhere") {
    const auto outcome = assemble_text(
        experiment_text("phases = [\"training\", \"validation\"]", "phases = [\"validation\"]"),
        catalog());
    REQUIRE(outcome.problems == "");
    CHECK(runs(*outcome.plan, "net") == Runs{true, true, true});
    CHECK(runs(*outcome.plan, "loss") == Runs{true, true, false});
    CHECK(runs(*outcome.plan, "worst") == Runs{false, true, false});
}

TEST_CASE("phases: what lacks an input is skipped where it says so, and what needs it too") {
    const auto outcome = assemble_text(
        experiment_text("skip_if_missing = true", "skip_if_missing = true"), catalog());
    REQUIRE(outcome.problems == "");
    CHECK(runs(*outcome.plan, "loss") == Runs{true, true, false});
    CHECK(runs(*outcome.plan, "worst") == Runs{true, true, false});
}

TEST_CASE("phases: a component that needs what is inactive in a section is refused") {
    CHECK(assemble_text(experiment_text("skip_if_missing = true"), catalog()).problems ==
          "e.toml:13:1: pipeline.worst: input 'errors' reads stream 'errors', which 'loss' (Loss) "
          "does not write in [test]; to leave it out there, write skip_if_missing = true or phases "
          "= [\"training\", \"validation\"]");
    CHECK(assemble_text(experiment_text(""), catalog()).problems ==
          "e.toml:10:1: pipeline.loss: input 'targets' reads stream 'targets', which the task of "
          "[test] (Images) lacks (it is written by the task of [training] (Images) and the task of "
          "[validation] (Images)); to leave it out there, write skip_if_missing = true or phases = "
          "[\"training\", \"validation\"]");
}

TEST_CASE("phases: a list of streams at an optional port may lack some of them in a section") {
    const auto with_list = [](bool is_optional) {
        Make list(Kind::kPublisher, "Writer");
        list.strings("names").in("inputs", "", plugin::Element::kAny).named_by("names");
        if (is_optional) {
            list.optional();
        }
        return plugin::joined(catalog(), catalog_of({list}, "writers"));
    };
    const auto text = [](const std::string& names) {
        return experiment_text("skip_if_missing = true", "skip_if_missing = true") +
               "\n[pipeline.writer]\ntype = \"Writer\"\nnames = [\"inputs\", " + names + "]\n";
    };
    const auto outcome = assemble_text(text("\"targets\""), with_list(true));
    REQUIRE(outcome.problems == "");
    CHECK(runs(*outcome.plan, "writer") == Runs{true, true, true});
    CHECK(assemble_text(text("\"targets\""), with_list(false))
              .problems.find("input 'names[1]' reads stream 'targets', which the task of [test] "
                             "(Images) lacks") != std::string::npos);
    CHECK(assemble_text(text("\"target\""), with_list(true))
              .problems.find(
                  "input 'names[1]' reads stream 'target', which nothing writes; did you "
                  "mean 'targets'? Then name it \"targets\" in names") != std::string::npos);
    CHECK(
        runs(*assemble_text(text("\"targets\"") + "skip_if_missing = true\n", with_list(true)).plan,
             "writer") == Runs{true, true, false});
}

TEST_CASE("phases: a stream that no section has is an error, skipped or not") {
    CHECK(
        assemble_text(experiment_text("skip_if_missing = true\nstreams = { targets = \"answers\" }",
                                      "enabled = false"),
                      catalog())
            .problems ==
        "e.toml:13:23: pipeline.loss: input 'targets' reads stream 'answers', which nothing "
        "writes; streams of floating numbers: inputs, targets and predictions; to "
        "read one of them write streams = { targets = \"...\" }");
}

TEST_CASE("phases: training and validation need a loss") {
    CHECK(assemble_text(experiment_text("phases = [\"validation\"]", "skip_if_missing = true"),
                        catalog())
              .problems ==
          "e.toml:8:1: pipeline: no loss runs in [training], so there is nothing to train");
    CHECK(assemble_text(experiment_text("phases = [\"training\"]", "skip_if_missing = true"),
                        catalog())
              .problems ==
          "e.toml:8:1: pipeline: no loss runs in [validation], so nothing determines which weights "
          "are best");
}

TEST_CASE("phases: a plan to process has the tasks of its sections alone") {
    const std::string text = experiment_text("skip_if_missing = true", "phases = [\"process\"]");
    const auto outcome = assemble_text(text, catalog(), {"validation"});
    REQUIRE(outcome.problems == "");
    REQUIRE(outcome.plan->tasks.size() == 1);
    CHECK(outcome.plan->tasks[0].section == "validation");
    CHECK(runs(*outcome.plan, "net") == Runs{true});
    CHECK(runs(*outcome.plan, "loss") == Runs{true});
    CHECK(runs(*outcome.plan, "worst") == Runs{true});

    // The loss is inactive in a test set without targets, and nothing can read its output there.
    CHECK(assemble_text(text, catalog(), {"test"}).problems ==
          "e.toml:13:1: pipeline.worst: input 'errors' reads stream 'errors', which 'loss' (Loss) "
          "does not write in [test]; to leave it out there, write skip_if_missing = true");
}

TEST_CASE("phases: a pipeline that is frozen freezes the models that do not say otherwise") {
    std::string text = experiment_text("skip_if_missing = true", "skip_if_missing = true");
    text +=
        "\n[pipeline.second]\ntype = \"Net\"\nfreeze = false\n"
        "streams = { predictions = \"others\" }\n[pipeline]\nfreeze = true\n";
    const auto outcome = assemble_text(text, catalog());
    REQUIRE(outcome.plan.has_value());  // warned of, because nothing reads it
    CHECK(node_named(*outcome.plan, "net").is_frozen);
    CHECK_FALSE(node_named(*outcome.plan, "second").is_frozen);
    CHECK_FALSE(node_named(*outcome.plan, "loss").is_frozen);
}

namespace {

// A transform between task and model, and a decoder of the model's results.
std::string with_transform(const std::string& shift, const std::string& net = "",
                           const std::string& decoder = "") {
    return R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[pipeline.shift]
type = "Shift"
streams = { outputs = "shifted" }
)" + shift +
           R"(
[pipeline.net]
type = "Net"
streams = { inputs = "shifted" }
)" + net + R"(
[pipeline.loss]
type = "Loss"
phases = ["training"]
[pipeline.decoder]
type = "Shift"
streams = { inputs = "predictions" }
)" + decoder;
}

test::Outcome assembled(const pipeline::Purpose& purpose, const std::string& text) {
    return test::assemble_for(
        purpose, text,
        catalog_of({Make(Kind::kTask, "Images").out("inputs", "B, 3").out("targets", "B, 3"),
                    Make(Kind::kTransform, "Shift").in("inputs", "B, 3").out("outputs", "B, 3"),
                    Make(Kind::kModel, "Net").in("inputs", "B, 3").out("predictions", "B, 3"),
                    Make(Kind::kLoss, "Loss")
                        .in("predictions", "B, 3")
                        .in("targets", "B, 3")
                        .loss("loss")}));
}

// Returns the problems that are reported before a new training begins.
std::string before_training(const std::string& text) {
    const std::vector<pipeline::Draft> none;
    return assembled({.processed_tasks = &none}, text).problems;
}

}  // namespace

TEST_CASE("phases: a component for predictions runs neither in training nor while processing") {
    const std::string text = with_transform("", "", "phases = [\"predict\"]");
    const auto trained = assembled({}, text);
    REQUIRE(trained.plan);
    CHECK(runs(*trained.plan, "decoder") == Runs{false});
    const auto processed = assembled({.processed = {"training"}}, text);
    REQUIRE(processed.plan);
    CHECK(runs(*processed.plan, "decoder") == Runs{false});
    CHECK(runs(*processed.plan, "loss") == Runs{false});
    const auto predicted = assembled({.processed = {"training"}, .is_predicted = true}, text);
    REQUIRE(predicted.plan);
    CHECK(runs(*predicted.plan, "decoder") == Runs{true});
    CHECK(runs(*predicted.plan, "loss") == Runs{false});
}

TEST_CASE("phases: a component for processing also runs in predictions") {
    const auto predicted = assembled({.processed = {"training"}, .is_predicted = true},
                                     with_transform("", "", "phases = [\"process\"]"));
    REQUIRE(predicted.plan);
    CHECK(runs(*predicted.plan, "decoder") == Runs{true});
}

TEST_CASE("phases: a model whose input is not there for predictions is refused before training") {
    const std::string limited = "phases = [\"training\", \"validation\"]";
    CHECK(
        before_training(with_transform(limited)) ==
        "e.toml:10:22: pipeline.net: input 'inputs' reads stream 'shifted', which 'shift' "
        "(Shift) does not write when new samples are predicted\n"
        "    fix: phases = [\"training\", \"validation\", \"predict\"] in [pipeline.shift]; "
        "pass_through = true there, if its input is to be read in its place; or phases = [\"training\", \"validation\"] here, too, if nothing is to be predicted");
    // A run that was recorded so is continued.
    CHECK(assembled({}, with_transform(limited)).plan);
    CHECK(assembled({}, with_transform(limited, limited, limited)).plan);
}

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
    // Where the transform may be skipped, the model lacks its input all the same.
    std::string skipped = mixing_text("OneHot");
    skipped.replace(skipped.find("= false"), 7, "= true");
    CHECK(warned(skipped) == warned(mixing_text("OneHot")));
}

}  // namespace phases_test
