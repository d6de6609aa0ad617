#include "pipeline/sizes.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

namespace shapes_test {

using namespace ptp;
using plugin::Kind;
using test::assemble_text;
using test::catalog_of;
using test::experiment_text;
using test::Make;

namespace {

// The shape of a port as the plan has it.
std::string shape_of(const test::Outcome& outcome, const char* node, bool is_input = true) {
    REQUIRE(outcome.problems == "");
    const auto& named = test::node_named(*outcome.plan, node);
    const auto& binding = is_input ? named.inputs[0] : named.outputs[0];
    return pipeline::shape_text(*outcome.plan, binding.shape, binding.has_shape);
}

constexpr const char* kSections = R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Images", batch_size = 1 }
[validation]
task = { type = "Images", batch_size = 1, resize_image = [32, 30] }
)";

}  // namespace

TEST_CASE("shapes: sizes travel through globals, streams and names") {
    const auto outcome = assemble_text(experiment_text(R"([pipeline.reshape]
type = "Reshape"
input_dims = [-1, 1, 32, 32]
output_dims = [-1, 1024]
[pipeline.dense]
type = "Dense"
streams = { inputs = "outputs" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)"));
    CHECK(shape_of(outcome, "training", false) == "[B, 1, image_height = 32, image_width = 32]");
    CHECK(shape_of(outcome, "reshape") == "[*, 1, 32, 32]");
    CHECK(shape_of(outcome, "dense") == "[B, input_size = 1024]");
    CHECK(shape_of(outcome, "dense", false) == "[B, prediction_size = 10]");
    CHECK(shape_of(outcome, "loss") == "[B, classes = 10]");

    const auto& plan = *outcome.plan;
    const auto symbol = [&](const char* node, const char* name) {
        return test::node_named(plan, node).symbols.at(name);
    };
    CHECK(symbol("loss", "B") == pipeline::kBatchSymbol);
    CHECK(symbol("loss", "classes") == plan.global_symbols.at("num_classes"));
    const auto& size = plan.symbols[static_cast<std::size_t>(symbol("dense", "input_size"))];
    CHECK(size.size == 1024);
    CHECK(size.origin == "pipeline.reshape.output_dims[1]");
}

TEST_CASE("shapes: the first dimension of a reshaped stream is found to be the batch") {
    const auto outcome = assemble_text(experiment_text(R"([pipeline.reshape]
type = "Reshape"
input_dims = [-1, 1, 32, 32]
output_dims = [-1, 1024]
[pipeline.loss]
type = "Loss"
streams = { predictions = "outputs" }
)"));
    REQUIRE(outcome.problems == "");
    const auto& loss = test::node_named(*outcome.plan, "loss");
    const auto& stream = outcome.plan->streams[static_cast<std::size_t>(loss.inputs[0].stream)];
    CHECK(stream.name == "outputs");
    CHECK(stream.shape[0].symbol == pipeline::kBatchSymbol);
}

TEST_CASE(
    "shapes: the number of samples is bound to no number, which only a batch can contradict") {
    const auto catalog = catalog_of({Make(Kind::kTask, "Task").out("a", "B, 3"),
                                     Make(Kind::kViewer, "Viewer").in("a", "64, 3"),
                                     Make(Kind::kLoss, "Loss").in("a", "32, 3").loss("loss")});
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Task", batch_size = 64 }
[pipeline.viewer]
type = "Viewer"
[pipeline.loss]
type = "Loss"
)",
                                       catalog);
    CHECK(outcome.problems == "");
    CHECK(outcome.plan->symbols[pipeline::kBatchSymbol].size == std::nullopt);
}

TEST_CASE("shapes: a name that is no global is known in its component only") {
    const auto catalog = catalog_of({Make(Kind::kTask, "Task").out("a", "B, n").out("b", "B, m"),
                                     Make(Kind::kLoss, "Loss").in("x", "B, 3").loss("loss"),
                                     Make(Kind::kViewer, "Viewer").in("x", "B, n")});
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Task", batch_size = 1 }
[pipeline.loss]
type = "Loss"
streams = { x = "a" }
[pipeline.viewer]
type = "Viewer"
streams = { x = "b" }
)",
                                       catalog);
    CHECK(shape_of(outcome, "training", false) == "[B, n = 3]");
    CHECK(shape_of(outcome, "viewer") == "[B, n]");
}

TEST_CASE("shapes: what does not fit is refused with both shapes and the likely fix") {
    struct Case {
        const char* text;
        const char* problems;
    };
    const Case cases[] = {
        // A setting of the task decides; there is one in each section.
        {R"([pipeline.net]
type = "Net"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
[training.task]
type = "Images"
batch_size = 64
[test.task]
type = "Images"
batch_size = 64
[training.optimizer]
type = "SGD"
lr = 0.1
)",
         "e.toml:1:1: pipeline.net: stream 'inputs' has another shape than 'inputs' takes\n"
         "    the task of [training] (Images) writes [B, 1, image_height = 28, image_width = 28] "
         "as 'inputs'\n"
         "    'net' (Net) reads [B, 1, 32, 32] as 'inputs'\n"
         "    image_height = 28: published by the task of [training] (Images)\n"
         "    image_width = 28: published by the task of [training] (Images)\n"
         "    fix: set training.task.resize_image = [32, 32], and the same in test.task"},
        // The reader's own setting decides.
        {R"([pipeline.reshape]
type = "Reshape"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 784]
[pipeline.loss]
type = "Loss"
streams = { predictions = "outputs" }
[training]
task = { type = "Images", batch_size = 64, resize_image = [32, 28] }
optimizer = { type = "SGD", lr = 0.1 }
)",
         "e.toml:1:1: pipeline.reshape: stream 'inputs' has another shape than 'inputs' takes\n"
         "    the task of [training] (Images) writes [B, 1, image_height = 32, image_width = 28] "
         "as 'inputs'\n"
         "    'reshape' (Reshape) reads [*, 1, 28, 28] as 'inputs'\n"
         "    image_height = 32: published by the task of [training] (Images)\n"
         "    28: pipeline.reshape.input_dims[2]\n"
         "    fix: set pipeline.reshape.input_dims = [-1, 1, 32, 28]"},
        // A global that need not be named was named.
        {R"([pipeline.reshape]
type = "Reshape"
input_dims = [-1, 1, 28, 28]
output_dims = [-1, 784]
[pipeline.dense]
type = "Dense"
streams = { inputs = "outputs" }
globals = { prediction_size = "num_classes", input_size = "image_width" }
[pipeline.loss]
type = "Loss"
[training]
task = { type = "Images", batch_size = 64 }
optimizer = { type = "SGD", lr = 0.1 }
)",
         "e.toml:5:1: pipeline.dense: stream 'outputs' has another shape than 'inputs' takes\n"
         "    'reshape' (Reshape) writes [*, 784] as 'outputs'\n"
         "    'dense' (Dense) reads [B, input_size = 28] as 'inputs'\n"
         "    784: pipeline.reshape.output_dims[1]\n"
         "    input_size = 28: published by the task of [training] (Images)\n"
         "    fix: leave 'input_size' out of the globals of pipeline.dense: it then follows from "
         "the stream"},
        // Too many dimensions.
        {R"([pipeline.dense]
type = "Dense"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
[training]
task = { type = "Images", batch_size = 64 }
optimizer = { type = "SGD", lr = 0.1 }
)",
         "e.toml:1:1: pipeline.dense: takes 2 dimensions as 'inputs', but stream 'inputs' has 4\n"
         "    the task of [training] (Images) writes [B, 1, image_height = 28, image_width = 28] "
         "as 'inputs'\n"
         "    'dense' (Dense) reads [B, input_size] as 'inputs'\n"
         "    fix: insert a Squash before pipeline.dense"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(assemble_text(c.text).problems == c.problems);
    }
}

TEST_CASE("shapes: a reader may take its size from another global") {
    const auto catalog = catalog_of(
        {Make(Kind::kTask, "Task").out("a", "B, 12").writes("width", "12").writes("depth", "3"),
         Make(Kind::kLoss, "Loss").in("a", "B, size").reads("size").loss("loss")});
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Task", batch_size = 1 }
[pipeline.viewer]
type = "Loss"
streams = { loss = "l2" }
globals = { size = "width" }
[pipeline.loss]
type = "Loss"
globals = { size = "depth" }
)",
                                       catalog);
    CHECK(outcome.problems ==
          "e.toml:8:1: pipeline.loss: stream 'a' has another shape than 'a' takes\n"
          "    the task of [training] (Task) writes [B, 12] as 'a'\n"
          "    'loss' (Loss) reads [B, size = 3] as 'a'\n"
          "    size = 3: published by the task of [training] (Task)\n"
          "    fix: write globals = { size = \"width\" } in pipeline.loss");
}

TEST_CASE("shapes: two readers may not ask different things of a size nobody knows") {
    const auto catalog = catalog_of({Make(Kind::kTask, "Task").out("a", "B, *"),
                                     Make(Kind::kViewer, "Three").in("a", "B, 3"),
                                     Make(Kind::kLoss, "Five").in("a", "B, 5").loss("loss")});
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Task", batch_size = 1 }
[pipeline.three]
type = "Three"
[pipeline.five]
type = "Five"
)",
                                       catalog);
    CHECK(outcome.problems ==
          "e.toml:6:1: pipeline.five: stream 'a' has another shape than 'a' takes\n"
          "    the task of [training] (Task) writes [B, *] as 'a'\n"
          "    'five' (Five) reads [B, 5] as 'a'\n"
          "    3: what 'three' (Three) takes");
}

TEST_CASE("shapes: sections that disagree are refused once, with what would make them agree") {
    const auto outcome = assemble_text(std::string(kSections) + R"([pipeline.reshape]
type = "Reshape"
input_dims = [-1, 1, -1, -1]
output_dims = [-1, 10]
[pipeline.loss]
type = "Loss"
streams = { predictions = "outputs" }
)");
    CHECK(outcome.problems ==
          "e.toml:5:8: validation.task: publishes other sizes than another section:\n"
          "    image_height = 32, but it is 28 (published by the task of [training] (Images))\n"
          "    image_width = 30, but it is 28 (published by the task of [training] (Images))\n"
          "    fix: set validation.task.resize_image = [28, 28]");
}

TEST_CASE("shapes: the fix of sections that disagree is that of the component that takes neither") {
    const auto outcome = assemble_text(std::string(kSections) + R"([pipeline.net]
type = "Net"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "Loss"
)");
    const std::string fix =
        "    fix: set training.task.resize_image = [32, 32], and the same in validation.task";
    CHECK(outcome.problems ==
          "e.toml:5:8: validation.task: publishes other sizes than another section:\n"
          "    image_height = 32, but it is 28 (published by the task of [training] (Images))\n"
          "    image_width = 30, but it is 28 (published by the task of [training] (Images))\n" +
              fix +
              "\ne.toml:6:1: pipeline.net: stream 'inputs' has another shape than 'inputs' takes\n"
              "    the task of [training] (Images) writes [B, 1, image_height = 28, image_width = "
              "28] as 'inputs'\n"
              "    'net' (Net) reads [B, 1, 32, 32] as 'inputs'\n"
              "    image_height = 28: published by the task of [training] (Images)\n"
              "    image_width = 28: published by the task of [training] (Images)\n" +
              fix);
}

TEST_CASE("shapes: a task with a single class is warned of") {
    const auto catalog = catalog_of({Make(Kind::kTask, "Task")
                                         .out("a", "B, 3")
                                         .writes("num_classes", "length($classes)")
                                         .strings("classes"),
                                     Make(Kind::kLoss, "Loss").in("a", "B, n").loss("loss")});
    const auto problems_with = [&](const char* classes) {
        return assemble_text(std::string("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                                         "task = { type = \"Task\", batch_size = 1, classes = ") +
                                 classes + " }\n[pipeline.loss]\ntype = \"Loss\"\n",
                             catalog)
            .problems;
    };
    CHECK(problems_with("[\"a\", \"b\"]") == "");
    CHECK(problems_with("[\"a\"]") ==
          "e.toml:3:8: training.task: warning: the task of [training] (Task) has one class alone "
          "(num_classes is 1): there is nothing to learn");
}

TEST_CASE("shapes: sections that write different shapes are refused") {
    const auto catalog = catalog_of({Make(Kind::kTask, "Task").integer("size").out("a", "B, $size"),
                                     Make(Kind::kLoss, "Loss").in("a", "B, n").loss("loss")});
    const auto outcome = assemble_text(R"([training]
optimizer = { type = "SGD", lr = 0.1 }
task = { type = "Task", batch_size = 1, size = 3 }
[test]
task = { type = "Task", batch_size = 1, size = 4 }
[pipeline.loss]
type = "Loss"
)",
                                       catalog);
    CHECK(outcome.problems ==
          "e.toml:5:8: test.task: the sections disagree on stream 'a'\n"
          "    the task of [training] (Task) writes [B, 3] as 'a'\n"
          "    the task of [test] (Task) writes [B, 4] as 'a'\n"
          "    3: training.task.size\n"
          "    4: test.task.size\n"
          "    fix: set test.task.size = 3, and the same in training.task");
}

}  // namespace shapes_test
