#include "pipeline/sizes.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace derived_sizes_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;

namespace {

Make task() {
    return Make(Kind::kTask, "Task")
        .integers("size", "[32, 32]")
        .out("inputs", "B, 3, height, width")
        .out("targets", "B", Element::kInteger)
        .writes("height", "$size[0]")
        .writes("width", "$size[1]");
}

// A convolution of `kernel`, then a pooling by 2.
Make encoder() {
    return Make(Kind::kModel, "Encoder")
        .integer("kernel", "5")
        .integer("stride", "1")
        .in("inputs", "B, 3, in_height, in_width")
        .out("maps", "B, 16, map_height, map_width")
        .reads_if_named("in_height")
        .reads_if_named("in_width")
        .writes("map_height", "windows(in_height, $kernel, $stride, 0) / 2")
        .writes("map_width", "windows(in_width, $kernel, $stride, 0) / 2");
}

Make flatten() {
    return Make(Kind::kTransform, "Flatten")
        .integer("start_dim", "1")
        .in("inputs", "...")
        .out("outputs", "inputs[:$start_dim], (product(inputs[$start_dim:]))")
        .writes_if_named("output_size", "product(inputs[$start_dim:])")
        .needs("$start_dim < rank(inputs)", "must be a dimension of inputs");
}

Make reshape() {
    return Make(Kind::kTransform, "Reshape")
        .integers("input_dims")
        .in("inputs", "$input_dims")
        .out("outputs", "B, n");
}

Make dense() {
    return Make(Kind::kModel, "Dense")
        .in("inputs", "B, input_size")
        .out("predictions", "B, prediction_size")
        .reads_if_named("input_size")
        .reads("prediction_size");
}

Make loss() {
    return Make(Kind::kLoss, "Loss")
        .integers("weights")
        .integer("top", "1")
        .in("predictions", "B, classes")
        .loss("loss")
        .needs("length($weights) = classes", "must have one weight for each class")
        .needs("$top <= classes", "must be at most the number of classes");
}

Make divide() {
    return Make(Kind::kTransform, "Divide")
        .integer("parts", "0")
        .in("inputs", "B, 3, height, width")
        .out("pieces", "B, inputs[1:height / $parts]");
}

test::Outcome assembled(const std::string& pipeline) {
    return test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Task\", batch_size = 2 }\n" +
            pipeline,
        test::catalog_of({task(), encoder(), flatten(), reshape(), dense(), loss(), divide()}));
}

constexpr const char* kEncoder = "[pipeline.encoder]\ntype = \"Encoder\"\n";
constexpr const char* kFlatten =
    "[pipeline.flatten]\ntype = \"Flatten\"\nstreams = { inputs = \"maps\", outputs = \"vectors\" "
    "}\n";
constexpr const char* kRest =
    "[pipeline.dense]\ntype = \"Dense\"\nstreams = { inputs = \"vectors\" }\n"
    "globals = { prediction_size = 10 }\n[pipeline.loss]\ntype = \"Loss\"\n";

std::string shape_of(const test::Outcome& outcome, const std::string& node, std::size_t output) {
    REQUIRE(outcome.problems == "");
    const auto& binding = test::node_named(*outcome.plan, node).outputs[output];
    return pipeline::shape_text(*outcome.plan, binding.shape, binding.has_shape);
}

}  // namespace

TEST_CASE("derived sizes: what a component will publish is known before it exists") {
    // (32 - 5 + 1) / 2 = 14
    const auto outcome = assembled(std::string(kEncoder) + kFlatten + kRest);
    CHECK(shape_of(outcome, "encoder", 0) == "[B, 16, map_height = 14, map_width = 14]");
    CHECK(shape_of(outcome, "flatten", 0) == "[B, 3136]");
}

TEST_CASE("derived sizes: settings and global constants take part") {
    const auto outcome =
        assembled("[pipeline.encoder]\ntype = \"Encoder\"\nkernel = 4\nstride = 3\n" +
                  std::string(kFlatten) + kRest);  // floor((32 - 4) / 3) + 1 = 10; halved 5
    CHECK(shape_of(outcome, "encoder", 0) == "[B, 16, map_height = 5, map_width = 5]");
    CHECK(shape_of(outcome, "dense", 0) == "[B, prediction_size = 10]");
}

TEST_CASE("derived sizes: of several streams each has the size at its place in a list") {
    const auto columns = [](const std::string& settings) {
        return test::assemble_text(
            "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n[training.task]\ntype = "
            "\"Columns\"\nbatch_size = 2\n" +
                settings +
                "\n[pipeline.dense]\ntype = \"Dense\"\nstreams = { inputs = \"b\" }\n"
                "globals = { prediction_size = 10, input_size = 3 }\n"
                "[pipeline.loss]\ntype = \"Loss\"\n",
            test::catalog_of({Make(Kind::kTask, "Columns")
                                  .strings("lists")
                                  .integers("list_sizes")
                                  .out("inputs", "B")
                                  .out("lists", "B, $list_sizes[]")
                                  .named_by("lists"),
                              dense(), loss()}));
    };
    const auto outcome = columns("lists = [\"a\", \"b\"]\nlist_sizes = [7, 3]");
    REQUIRE(outcome.plan);  // 'a' is warned of, because nothing reads it
    const auto& outputs = outcome.plan->tasks[0].outputs;
    CHECK(pipeline::shape_text(*outcome.plan, outputs[1].shape, true) == "[B, 7]");
    CHECK(pipeline::shape_text(*outcome.plan, outputs[2].shape, true) == "[B, 3]");
    // A place that the list lacks has any size.
    CHECK(columns("lists = [\"a\", \"b\"]\nlist_sizes = [7]").plan);
    CHECK(columns("lists = [\"a\", \"b\"]\nlist_sizes = [3, 7]").problems ==
          "e.toml:8:1: pipeline.dense: stream 'b' has another shape than 'inputs' takes\n"
          "    the task of [training] (Columns) writes [B, 7] as 'lists[1]'\n"
          "    'dense' (Dense) reads [B, input_size = 3] as 'inputs'\n"
          "    7: training.task.list_sizes[1]\n"
          "    input_size = 3: pipeline.dense.globals.input_size\n"
          "    fix: set pipeline.dense.globals.input_size = 7");
}

TEST_CASE("derived sizes: a wrong size is refused where it is written, with the right one") {
    const auto outcome =
        assembled(std::string(kEncoder) +
                  "[pipeline.flatten]\ntype = \"Reshape\"\ninput_dims = [-1, 16, 6, 6]\n"
                  "streams = { inputs = \"maps\", outputs = \"vectors\" }\n" +
                  kRest);
    CHECK(outcome.problems ==
          "e.toml:6:1: pipeline.flatten: stream 'maps' has another shape than 'inputs' takes\n"
          "    'encoder' (Encoder) writes [B, 16, map_height = 14, map_width = 14] as 'maps'\n"
          "    'flatten' (Reshape) reads [*, 16, 6, 6] as 'inputs'\n"
          "    map_height = 14: published by 'encoder' (Encoder)\n"
          "    6: pipeline.flatten.input_dims[2]\n"
          "    map_width = 14: published by 'encoder' (Encoder)\n"
          "    6: pipeline.flatten.input_dims[3]\n"
          "    fix: set pipeline.flatten.input_dims = [-1, 16, 14, 14]");
}

TEST_CASE("derived sizes: a shape that cannot be computed is refused") {
    const auto outcome = assembled("[pipeline.divide]\ntype = \"Divide\"\n" +
                                   std::string(kEncoder) + kFlatten + kRest);
    CHECK(outcome.problems ==
          "e.toml:4:1: pipeline.divide: the shape of an output cannot be computed: 32 is divided "
          "by 0");
}

TEST_CASE("derived sizes: a size of nothing is refused with what it follows from") {
    const auto outcome = assembled("[pipeline.encoder]\ntype = \"Encoder\"\nkernel = 32\n" +
                                   std::string(kFlatten) + kRest);
    CHECK(outcome.problems ==
          "e.toml:4:1: pipeline.encoder: map_height is 0 (in_height is 32, kernel "
          "= 32), but a size must be at least 1\n"
          "e.toml:4:1: pipeline.encoder: map_width is 0 (in_width is 32, kernel = "
          "32), but a size must be at least 1");
}

TEST_CASE("derived sizes: what cannot be computed is an error of the experiment") {
    const auto outcome = assembled("[pipeline.encoder]\ntype = \"Encoder\"\nstride = 0\n" +
                                   std::string(kFlatten) + kRest);
    CHECK(outcome.problems ==
          "e.toml:4:1: pipeline.encoder: map_height cannot be computed (in_height is "
          "32, stride = 0): 27 is divided by 0\n"
          "e.toml:4:1: pipeline.encoder: map_width cannot be computed (in_width is 32, "
          "stride = 0): 27 is divided by 0");
}

TEST_CASE("derived sizes: dimensions before those that are joined stay") {
    const auto outcome = assembled(std::string(kEncoder) +
                                   "[pipeline.flatten]\ntype = \"Flatten\"\nstart_dim = 2\n"
                                   "streams = { inputs = \"maps\", outputs = \"rows\" }\n"
                                   "[pipeline.again]\ntype = \"Flatten\"\n"
                                   "streams = { inputs = \"rows\", outputs = \"vectors\" }\n" +
                                   kRest);
    CHECK(shape_of(outcome, "flatten", 0) == "[B, 16, 196]");
    CHECK(shape_of(outcome, "again", 0) == "[B, 3136]");
}

TEST_CASE("derived sizes: a global that is published if named is one only then") {
    const std::string named =
        "[pipeline.flatten]\ntype = \"Flatten\"\nglobals = { output_size = \"vector_size\" }\n"
        "streams = { inputs = \"maps\", outputs = \"vectors\" }\n"
        "[pipeline.dense]\ntype = \"Dense\"\nstreams = { inputs = \"vectors\" }\n"
        "globals = { prediction_size = 10, input_size = \"vector_size\" }\n"
        "[pipeline.loss]\ntype = \"Loss\"\n";
    const auto outcome = assembled(kEncoder + named);
    REQUIRE(outcome.problems == "");
    const auto& dense = test::node_named(*outcome.plan, "dense");
    CHECK(pipeline::shape_text(*outcome.plan, dense.inputs[0].shape) == "[B, input_size = 3136]");

    // Two without a name are not in each other's way.
    const auto two = assembled(std::string(kEncoder) + kFlatten +
                               "[pipeline.pixels]\ntype = \"Flatten\"\n"
                               "streams = { outputs = \"pixels\" }\n" +
                               kRest);
    CHECK(two.problems ==
          "e.toml:9:1: warning: pipeline.pixels: nothing reads 'pixels', so that Flatten has no "
          "effect\n    fix: name the stream in a component that should read it, or set "
          "pipeline.pixels.enabled = false");
    REQUIRE(two.plan.has_value());
    const auto& pixels = test::node_named(*two.plan, "pixels").outputs[0];
    CHECK(pipeline::shape_text(*two.plan, pixels.shape, pixels.has_shape) == "[B, 3072]");
}

TEST_CASE("derived sizes: a requirement that does not hold is refused at its setting") {
    const std::string front = std::string(kEncoder) + kFlatten +
                              "[pipeline.dense]\ntype = \"Dense\"\n"
                              "streams = { inputs = \"vectors\" }\n"
                              "globals = { prediction_size = 10 }\n[pipeline.loss]\ntype = "
                              "\"Loss\"\n";
    CHECK(assembled(front + "weights = [1, 2, 3]\ntop = 11\n").problems ==
          "e.toml:15:11: pipeline.loss.weights = [1, 2, 3]: must have one weight for each class: "
          "weights has 3 items, classes is 10\n"
          "e.toml:16:7: pipeline.loss.top = 11: must be at most the number of classes: classes is "
          "10");
    CHECK(assembled(front + "weights = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\ntop = 10\n").problems ==
          "");
    CHECK(assembled(std::string(kEncoder) +
                    "[pipeline.flatten]\ntype = \"Flatten\"\nstart_dim = 4\n"
                    "streams = { inputs = \"maps\", outputs = \"vectors\" }\n" +
                    kRest)
              .problems.find("e.toml:8:13: pipeline.flatten.start_dim = 4: must be a dimension of "
                             "inputs: 'maps' is [B, 16, map_height = 14, map_width = 14]") !=
          std::string::npos);
}

TEST_CASE("derived sizes: a requirement may be on whether the experiment names a global") {
    const auto problems_with = [](const char* line) {
        auto catalog = test::catalog_of(
            {test::Make(plugin::Kind::kTask, "Task").out("a", "B, 3").writes("text_words"),
             test::Make(plugin::Kind::kLoss, "Loss")
                 .in("a", "B, 3")
                 .loss("loss")
                 .reads_if_named("words")
                 .integer("count", "0")
                 .needs("$count > 0", "there is no vocabulary", "!words")});
        return test::assemble_text(
                   std::string("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                               "task = { type = \"Task\", batch_size = 2 }\n"
                               "[pipeline.loss]\ntype = \"Loss\"\n") +
                       line,
                   std::move(catalog))
            .problems;
    };
    CHECK(problems_with("") ==
          "e.toml:4:1: pipeline.loss.count = 0 (by default): there is no vocabulary");
    CHECK(problems_with("count = 1\n") == "");
    CHECK(problems_with("globals = { words = \"text_words\" }\n") == "");
    CHECK(problems_with("globals = { words = 3 }\n") == "");
}

TEST_CASE("derived sizes: a condition is on a setting, though a global has its name") {
    auto catalog = test::catalog_of({test::Make(plugin::Kind::kTask, "Task").out("a", "B, 3"),
                                     test::Make(plugin::Kind::kLoss, "Loss")
                                         .in("a", "B, 3")
                                         .loss("loss")
                                         .writes("size")
                                         .integer("size", "3")
                                         .needs("$size > 9", "must be more than 9", "size = 4")});
    CHECK(test::assemble_text("[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
                              "task = { type = \"Task\", batch_size = 2 }\n"
                              "[pipeline.loss]\ntype = \"Loss\"\n",
                              std::move(catalog))
              .problems == "");
}

TEST_CASE("derived sizes: a default that does not hold says that it is one") {
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Task\", batch_size = 2 }\n"
        "[pipeline.flatten]\ntype = \"Flatten\"\nstreams = { outputs = \"vectors\" }\n"
        "[pipeline.dense]\ntype = \"Dense\"\nstreams = { inputs = \"vectors\" }\n"
        "globals = { prediction_size = 1 }\n[pipeline.loss]\ntype = \"Loss\"\n",
        test::catalog_of({task(), flatten(), dense(),
                          Make(Kind::kLoss, "Loss")
                              .integer("top", "3")
                              .in("predictions", "B, classes")
                              .loss("loss")
                              .needs("$top <= classes", "must be at most the number of classes")}));
    CHECK(outcome.problems ==
          "e.toml:11:1: pipeline.loss.top = 3 (by default): must be at most the number of classes: "
          "classes is 1");
}

TEST_CASE("derived sizes: one size of an input is a size of an output") {
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Task\", batch_size = 2 }\n"
        "[pipeline.pick]\ntype = \"Pick\"\nstreams = { outputs = \"predictions\" }\n"
        "[pipeline.loss]\ntype = \"Loss\"\n",
        test::catalog_of(
            {task(),
             Make(Kind::kTransform, "Pick").in("inputs", "...").out("outputs", "B, inputs[1]"),
             loss()}));
    CHECK(shape_of(outcome, "pick", 0) == "[B, 3]");
}

TEST_CASE("derived sizes: what is known only later decides backwards what may be") {
    // Nobody says how large the images are, but the reader of the maps wants 14.
    auto unsized = Make(Kind::kTask, "Task").out("inputs", "B, 3, *, *");
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Task\", batch_size = 2 }\n" +
            std::string(kEncoder) +
            "[pipeline.flatten]\ntype = \"Reshape\"\ninput_dims = [-1, 16, 14, 14]\n"
            "streams = { inputs = \"maps\", outputs = \"vectors\" }\n" +
            kRest,
        test::catalog_of({unsized, encoder(), reshape(), dense(), loss()}));
    CHECK(shape_of(outcome, "encoder", 0) == "[B, 16, map_height = 14, map_width = 14]");

    // Created, the images turn out to have 20 pixels: the encoder would publish 8.
    auto plan = *outcome.plan;
    const auto& node = test::node_named(plan, "encoder");
    REQUIRE(pipeline::learn_size(plan, node.symbols.at("in_height"), 20, "seen") == std::nullopt);
    const auto& global = node.component->globals[2];
    const auto declared = pipeline::declared_value(plan, node, global);
    REQUIRE(declared);
    CHECK(declared->text == "windows(in_height, $kernel, $stride, 0) / 2");
    CHECK(declared->value == ptp::Value(8));
    const auto& width = node.component->globals[3];
    CHECK(pipeline::declared_value(plan, node, width)->value == std::nullopt);
}

}  // namespace derived_sizes_test
