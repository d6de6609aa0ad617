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

}  // namespace phases_test
