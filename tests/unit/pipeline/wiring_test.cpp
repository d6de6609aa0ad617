#include "support.hpp"

#include <doctest/doctest.h>

namespace wiring_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::assemble_text;
using test::catalog_of;
using test::experiment_text;
using test::Make;

namespace {

std::string stream_of(const pipeline::Plan& plan, const pipeline::Binding& binding) {
    if (binding.stream < 0) {
        return "none";
    }
    return plan.streams[static_cast<std::size_t>(binding.stream)].name;
}

std::string problems_of(std::string_view pipeline_text) {
    return assemble_text(experiment_text(pipeline_text)).problems;
}

}  // namespace

TEST_CASE("wiring: ports meet by the names of streams, renamed where the experiment says so") {
    const auto outcome = assemble_text(experiment_text(R"([pipeline.net]
type = "Net"
streams = { predictions = "scores" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
streams = { predictions = "scores", loss = "cost" }
)"));
    REQUIRE(outcome.problems == "");
    const auto& plan = *outcome.plan;
    const auto& loss = test::node_named(plan, "loss");
    CHECK(stream_of(plan, loss.inputs[0]) == "scores");
    CHECK(stream_of(plan, loss.inputs[1]) == "targets");
    CHECK(stream_of(plan, loss.outputs[0]) == "cost");
    CHECK(loss.statistics.at("loss") == "cost");
    CHECK(plan.streams[static_cast<std::size_t>(loss.inputs[0].stream)].producer == 0);
    CHECK(plan.streams[static_cast<std::size_t>(loss.inputs[1].stream)].producer == -1);
}

TEST_CASE("wiring: every task has the stream indices, under the name it is given") {
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
[training.task]
type = "Images"
batch_size = 64
streams = { indices = "numbers" }
[pipeline.loss]
type = "Loss"
streams = { predictions = "inputs2" }
[pipeline.viewer]
type = "Viewer"
input_streams = ["numbers"]
[pipeline.reshape]
type = "Reshape"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 784]
streams = { outputs = "inputs2" }
)");
    REQUIRE(outcome.problems == "");
    const auto& plan = *outcome.plan;
    const auto& viewer = test::node_named(plan, "viewer");
    CHECK(viewer.inputs[0].name == "input_streams[0]");
    CHECK(stream_of(plan, viewer.inputs[0]) == "numbers");
    CHECK(viewer.inputs[0].stream == plan.tasks[0].indices_stream);
}

TEST_CASE("wiring: a port that does not exist with these settings has no stream") {
    const auto outcome = assemble_text(experiment_text(R"([pipeline.net]
type = "Net"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
[pipeline.accuracy]
type = "Accuracy"
streams = { masks = "foreground" }
)"));
    CHECK(
        outcome.problems ==
        "e.toml:15:13: pipeline.accuracy.streams.masks: warning: has no effect: Accuracy has this "
        "port only with use_masking");
    REQUIRE(outcome.plan);
    const auto& accuracy = test::node_named(*outcome.plan, "accuracy");
    REQUIRE(accuracy.inputs.size() == 3);
    CHECK(accuracy.inputs[2].stream == -1);
}

TEST_CASE("wiring: an optional port may stay without a stream, but not if one was named for it") {
    const auto catalog =
        catalog_of({Make(Kind::kTask, "Images").out("inputs", "B, 3"), Make(Kind::kLoss, "Loss")
                                                                           .in("inputs", "B, 3")
                                                                           .in("weights", "B")
                                                                           .optional()
                                                                           .loss("loss")});
    const auto silent =
        assemble_text(experiment_text("[pipeline.loss]\ntype = \"Loss\"\n"), catalog);
    CHECK(silent.problems ==
          "e.toml:6:1: training.task.resize_image: unknown setting; it has no settings");
    const std::string start =
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Images\", batch_size = 1 }\n[pipeline.loss]\ntype = \"Loss\"\n";
    CHECK(assemble_text(start, catalog).problems == "");
    CHECK(assemble_text(start + "streams = { weights = \"w\" }", catalog).problems ==
          "e.toml:6:23: pipeline.loss: input 'weights' reads stream 'w', which nothing writes; "
          "streams of floating numbers: inputs; to read one of them write streams = { weights = "
          "\"...\" }");
}

TEST_CASE("wiring: the only stream of the task that fits is the fix") {
    const auto catalog = catalog_of({Make(Kind::kTask, "Photos")
                                         .out("images", "B, 3, 8, 8")
                                         .out("importance", "B")
                                         .out("targets", "B", Element::kInteger),
                                     Make(Kind::kModel, "Network")
                                         .in("inputs", "B, channels, height, width")
                                         .out("predictions", "B, 2"),
                                     Make(Kind::kLoss, "Loss")
                                         .in("predictions", "B, 2")
                                         .in("targets", "B", Element::kInteger)
                                         .in("sample_weights", "B")
                                         .loss("loss")});
    CHECK(assemble_text("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                        "task = { type = \"Photos\", batch_size = 1 }\n"
                        "[pipeline.net]\ntype = \"Network\"\n"
                        "[pipeline.loss]\ntype = \"Loss\"\n",
                        catalog)
              .problems ==
          "e.toml:4:1: pipeline.net: input 'inputs' reads stream 'inputs', which nothing writes\n"
          "    fix: write streams = { inputs = \"images\" } in pipeline.net\n"
          "e.toml:6:1: pipeline.loss: input 'sample_weights' reads stream 'sample_weights', which "
          "nothing writes\n"
          "    fix: write streams = { sample_weights = \"importance\" } in pipeline.loss");
}

TEST_CASE("wiring: what does not fit is refused, with what would") {
    struct Case {
        const char* text;
        const char* problems;
    };
    const Case cases[] = {
        {R"([pipeline.net]
type = "Net"
streams = { inputs = "image" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
streams = { targets = "target" }
)",
         "e.toml:10:22: pipeline.net: input 'inputs' reads stream 'image', which nothing writes\n"
         "    fix: leave 'inputs' out of its streams in pipeline.net\n"
         "e.toml:14:23: pipeline.loss: input 'targets' reads stream 'target', which nothing "
         "writes; did you mean 'targets'? Then leave 'targets' out of its streams"},
        {R"([pipeline.net]
type = "Net"
streams = { input = "inputs" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)",
         "e.toml:10:13: pipeline.net.streams.input: Net has no port of this name; did you mean "
         "'inputs'?"},
        {R"([pipeline.loss]
type = "Loss"
streams = { predictions = "inputs", targets = "labels" }
)",
         "e.toml:8:1: pipeline.loss: takes 2 dimensions as 'predictions', but stream 'inputs' has "
         "4\n"
         "    the task of [training] (Images) writes [B, 1, image_height = 32, image_width = 32] "
         "as 'inputs'\n"
         "    'loss' (Loss) reads [B, classes] as 'predictions'\n"
         "e.toml:10:47: pipeline.loss: input 'targets' takes integers, but stream 'labels' carries "
         "strings (written by the task of [training] (Images)); streams of integers: targets"},
        {R"([pipeline.net]
type = "Net"
globals = { prediction_size = "num_classes" }
[pipeline.net2]
type = "Net"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)",
         "e.toml:11:1: pipeline.net2: output 'predictions' writes stream 'predictions', which "
         "'net' (Net) writes already; write streams = { predictions = \"net2_predictions\" }"},
        {R"([pipeline.net]
type = "Net"
streams = { predictions = "indices" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
streams = { predictions = "inputs" }
)",
         "e.toml:10:27: pipeline.net: output 'predictions' writes stream 'indices', which the task "
         "of [training] (Images) writes already: every task does, with the number of each sample; "
         "write streams = { predictions = \"net_predictions\" }\n"
         "e.toml:12:1: pipeline.loss: takes 2 dimensions as 'predictions', but stream 'inputs' has "
         "4\n"
         "    the task of [training] (Images) writes [B, 1, image_height = 32, image_width = 32] "
         "as 'inputs'\n"
         "    'loss' (Loss) reads [B, classes] as 'predictions'"},
        {R"([pipeline.net]
type = "Net"
streams = { predictions = "targets" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
streams = { predictions = "inputs" }
)",
         "e.toml:10:27: pipeline.net: output 'predictions' writes stream 'targets', which the task "
         "of [training] (Images) writes already; write streams = { predictions = "
         "\"net_predictions\" }\n"
         "e.toml:12:1: pipeline.loss: takes 2 dimensions as 'predictions', but stream 'inputs' has "
         "4\n"
         "    the task of [training] (Images) writes [B, 1, image_height = 32, image_width = 32] "
         "as 'inputs'\n"
         "    'loss' (Loss) reads [B, classes] as 'predictions'"},
        {R"([pipeline.viewer]
type = "Viewer"
input_streams = ["inputs", "labls", ""]
[pipeline.net]
type = "Net"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)",
         "e.toml:10:28: pipeline.viewer: input 'input_streams[1]' reads stream 'labls', which "
         "nothing writes; did you mean 'labels'? Then name it \"labels\" in input_streams\n"
         "e.toml:10:37: pipeline.viewer: port 'input_streams[2]': the name of a stream must not be "
         "empty"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_of(c.text) == c.problems);
    }
}

TEST_CASE("wiring: a section whose task lacks a stream is named") {
    const auto catalog = catalog_of(
        {Make(Kind::kTask, "Images")
             .flag("has_answers", true)
             .out("inputs", "B, 3")
             .out("targets", "B, 3")
             .when("has_answers"),
         Make(Kind::kLoss, "Loss").in("inputs", "B, 3").in("targets", "B, 3").loss("loss")});
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[test]
task = { type = "Images", batch_size = 1, has_answers = false }
[pipeline.loss]
type = "Loss"
)",
                                       catalog);
    CHECK(outcome.problems ==
          "e.toml:6:1: pipeline.loss: input 'targets' reads stream 'targets', which the task of "
          "[test] (Images) lacks (it is written by the task of [training] (Images)); to leave it "
          "out there, write skip_if_missing = true or phases = [\"training\"]");
}

TEST_CASE("wiring: sections that put different things into one stream are refused") {
    const auto catalog =
        catalog_of({Make(Kind::kTask, "Numbers").out("inputs", "B"),
                    Make(Kind::kTask, "Words").out("inputs", "B", Element::kString),
                    Make(Kind::kLoss, "Loss").in("inputs", "B").loss("loss")});
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Numbers", batch_size = 1 }
[validation]
task = { type = "Words", batch_size = 1 }
[pipeline.loss]
type = "Loss"
)",
                                       catalog);
    CHECK(outcome.problems ==
          "e.toml:5:8: validation.task: writes strings to stream 'inputs', but the task of "
          "[training] (Numbers) writes floating numbers; the sections must agree");
}

}  // namespace wiring_test
