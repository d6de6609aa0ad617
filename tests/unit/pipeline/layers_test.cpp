#include "pipeline/layers.hpp"

#include "base/toml_writer.hpp"
#include "pipeline/sizes.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace layers_test {

using namespace ptp;
using plugin::Element;
using plugin::Kind;
using test::Make;

namespace {

plugin::Catalog catalog() {
    return test::catalog_of(
        {Make(Kind::kTask, "Images")
             .out("inputs", "B, 1, 28, 28")
             .out("words", "B, 5", Element::kInteger)
             .out("targets", "B", Element::kInteger)
             .writes("num_classes", "10")
             .writes("vocabulary_size"),
         Make(Kind::kModel, "Stack")
             .setting(test::layers_of("layers"))
             .strings("more_inputs", "[]")
             .strings("more_outputs", "[]")
             .in("inputs", "", Element::kAny)
             .in("more_inputs", "", Element::kAny)
             .named_by("more_inputs")
             .out("outputs", "layers[0:]")
             .meaning("layers")
             .out("more_outputs", "layers[0:]")
             .named_by("more_outputs"),
         Make(Kind::kModel, "Add")
             .setting(test::layers_of("layers"))
             .setting(test::layers_of("shortcut", 0, false))
             .in("inputs", "...")
             .out("outputs", "layers[0:]")
             .needs("layers[0:] = shortcut[0:]", "have other shapes"),
         Make(Kind::kModel, "Join")
             .setting(test::layers_of("branches", 1))
             .in("inputs", "...")
             .out("outputs", "branches[:1], (sum(branches[1])), branches[2:]"),
         Make(Kind::kModel, "Conv")
             .integer("out_channels")
             .integer("kernel_size", "3")
             .in("inputs", "B, in_channels, height, width")
             .out("outputs",
                  "B, $out_channels, (height - $kernel_size + 1), (width - $kernel_size + 1)"),
         Make(Kind::kModel, "Dense")
             .integer("out_features")
             .in("inputs", "...")
             .out("outputs", "inputs[:-1], $out_features"),
         Make(Kind::kModel, "Embed")
             .integer("size")
             .in("inputs", "...", Element::kInteger)
             .out("outputs", "inputs[0:], $size"),
         Make(Kind::kModel, "States")
             .in("inputs", "B, length, size")
             .in("lengths", "B", Element::kInteger)
             .optional()
             .out("outputs", "B, length, 4")
             .out("last", "B, 4"),
         Make(Kind::kTransform, "Beside")
             .strings("input_streams")
             .in("input_streams", "...")
             .named_by("input_streams")
             .needs("min(rank(input_streams)) = max(rank(input_streams))", "must be alike")
             .out("outputs", "B, 4"),
         Make(Kind::kTransform, "Flat")
             .in("inputs", "...")
             .out("outputs", "inputs[:1], (product(inputs[1:]))"),
         Make(Kind::kLoss, "Loss")
             .in("predictions", "B, classes")
             .in("targets", "B", Element::kInteger)
             .loss("loss")});
}

test::Outcome assembled(const std::string& net) {
    return test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n"
        "task = { type = \"Images\", batch_size = 1 }\n"
        "[pipeline.net]\ntype = \"Stack\"\n" +
            net + "\n[pipeline.loss]\ntype = \"Loss\"\n",
        catalog());
}

constexpr const char* kStreams = "streams = { outputs = \"predictions\" }\n";

// "0 Conv [B, 4, 26, 26] | 1 Flat [B, 2704]"
std::string layers_of(const test::Outcome& outcome) {
    CHECK(outcome.problems == "");
    REQUIRE(outcome.plan);
    std::string text;
    for (const auto& line :
         pipeline::layer_lines(*outcome.plan, test::node_named(*outcome.plan, "net"))) {
        text += (text.empty() ? "" : " | ") + line.name + " " + line.type + " " + line.shape;
    }
    return text;
}

std::string layers_of(const std::string& layers) {
    return layers_of(assembled(kStreams + layers));
}

}  // namespace

TEST_CASE("layers: each takes its sizes from the one before, and the output from the last") {
    const auto outcome = assembled(std::string(kStreams) +
                                   R"(layers = [
    { type = "Conv", out = 4 }, "Flat", { type = "Dense", out = 10 }])");
    CHECK(layers_of(outcome) == "0 Conv [B, 4, 26, 26] | 1 Flat [B, 2704] | 2 Dense [B, 10]");
    const auto& net = test::node_named(*outcome.plan, "net");
    CHECK(pipeline::shape_text(*outcome.plan, net.outputs[0].shape) == "[B, 10]");
}

TEST_CASE("layers: a drawing lists them below their component") {
    const auto outcome =
        assembled(std::string(kStreams) + "layers = [\"Flat\", { type = \"Dense\", out = 10 }]");
    REQUIRE(outcome.plan);
    const pipeline::Picture picture = pipeline::picture_of(*outcome.plan);
    CHECK(pipeline::draw_text(picture) ==
          "task  pre      training  Images  ->  inputs       [B, 1, 28, 28]\n"
          "                                 ->  words        integers [B, 5]\n"
          "                                 ->  targets      integers [B]\n"
          "   1  forward  net       Stack   <-  inputs       [B, 1, 28, 28]\n"
          "                                 ->  predictions  [B, 10] as 'outputs'\n"
          "                 0       Flat                     [B, 784]\n"
          "                 1       Dense                    [B, 10]\n"
          "   2  forward  loss      Loss    <-  predictions  [B, classes = 10]\n"
          "                                 <-  targets      integers [B]\n"
          "                                 ->  loss         a number, minimized\n");
    CHECK(pipeline::draw_dot(picture).find("net\\nStack, model\\n0  Flat  [B, 784]\\n1  Dense  [B, "
                                           "10]\"") != std::string::npos);
}

TEST_CASE("layers: blocks, names and copies become a chain whose names are torch's") {
    CHECK(layers_of(R"(layers = ["Flat", [{ type = "Dense", out = 5 }, { type = "Dense", out = 4 }],
    { type = "Dense", out = 6, repeat = 2 },
    { name = "head", repeat = 2, layers = [{ type = "Dense", out = 10, name = "last" }] }])") ==
          "0 Flat [B, 784] | 1.0 Dense [B, 5] | 1.1 Dense [B, 4] | 2 Dense [B, 6] | 3 Dense [B, 6] "
          "| head.0.last Dense [B, 10] | head.1.last Dense [B, 10]");
}

TEST_CASE("layers: an integer is a formula over globals and sizes of the layer itself") {
    CHECK(layers_of(R"(layers = [{ type = "Conv", out = "4 * in_channels", kernel = "height / 4" },
    "Flat", { type = "Dense", out = "num_classes" }])") ==
          "0 Conv [B, 4, 22, 22] | 1 Flat [B, 1936] | 2 Dense [B, num_classes = 10]");
}

TEST_CASE("layers: layers within layers are solved with those around them") {
    CHECK(layers_of(R"(layers = [
    { type = "Add", layers = [{ type = "Conv", out = 3 }], shortcut = [{ type = "Conv", out = 3 }] },
    { type = "Join", branches = [[{ type = "Conv", out = 2, kernel = 1 }], []] }, "Flat"])") ==
          "0 Add [B, 3, 26, 26] | 0.0 Conv [B, 3, 26, 26] | 0.shortcut.0 Conv [B, 3, 26, 26] | "
          "1 Join [B, 5, 26, 26] | 1.0.0 Conv [B, 2, 26, 26] | 2 Flat [B, 3380]");
    CHECK(assembled(
              std::string(kStreams) +
              "layers = [{ type = \"Add\", layers = [{ type = \"Conv\", out = 3 }] }, \"Flat\"]")
              .problems ==
          "e.toml:7:11: pipeline.net.layers[0]: have other shapes: layers makes [B, 3, 26, 26], "
          "the input is [B, 1, 28, 28]");
}

TEST_CASE("layers: streams are read and written by name, within the list and outside") {
    const auto outcome = assembled(R"(streams = { inputs = "words", outputs = "predictions" }
more_inputs = ["inputs"]
more_outputs = ["flat"]
layers = [{ type = "Flat", streams = { inputs = "inputs", outputs = "flat" } },
    { type = "Dense", out = 10 }])");
    CHECK(outcome.problems.find("'inputs' takes floating numbers") != std::string::npos);
    const auto good = assembled(R"(streams = { outputs = "predictions" }
more_inputs = ["words"]
more_outputs = ["vectors"]
layers = [{ type = "Embed", size = 3, streams = { inputs = "words", outputs = "vectors" } },
    "Flat", { type = "Dense", out = 10 }])");
    CHECK(layers_of(good) == "0 Embed [B, 5, 3] | 1 Flat [B, 15] | 2 Dense [B, 10]");
    const auto& net = test::node_named(*good.plan, "net");
    CHECK(pipeline::shape_text(*good.plan, net.outputs[1].shape) == "[B, 5, 3]");
}

TEST_CASE("layers: a stream that stays in its list is given out by the fix") {
    CHECK(assembled(R"(streams = { outputs = "others" }
layers = [{ type = "Flat", streams = { outputs = "flat" } }, { type = "Dense", out = 10 }]
[pipeline.again]
type = "Dense"
out_features = 10
streams = { inputs = "flat", outputs = "predictions" })")
              .problems ==
          "e.toml:11:22: pipeline.again: input 'inputs' reads stream 'flat', which "
          "pipeline.net.layers[0] writes within the list of 'net' alone\n"
          "    fix: set pipeline.net.more_outputs = [\"flat\"]");
}

TEST_CASE("layers: vectors that a layer makes of a sequence are read by the fix, not its steps") {
    const auto fix_of = [](const std::string& net) {
        const std::string problems = assembled(net).problems;
        const auto fix = problems.find("fix: ");
        return fix == std::string::npos ? problems : problems.substr(fix);
    };
    const std::string list =
        "layers = [{ type = \"Embed\", size = 3 }, \"States\"]\n"
        "streams = { inputs = \"words\", outputs = ";
    const std::string given =
        "fix: write streams = { last = \"last\" } in pipeline.net.layers[1], set "
        "pipeline.net.more_outputs = [\"last\"], and ";
    CHECK(fix_of(list + "\"predictions\" }") ==
          given + "write streams = { predictions = \"last\" } in pipeline.loss");
    CHECK(fix_of(list + "\"steps\" }\n[pipeline.dense]\ntype = \"Dense\"\nout_features = 10\n"
                        "streams = { inputs = \"steps\", outputs = \"predictions\" }") ==
          given + "write streams = { inputs = \"last\" } in pipeline.dense");
    CHECK(fix_of(list +
                 "\"steps\" }\n[pipeline.flat]\ntype = \"Flat\"\n"
                 "streams = { inputs = \"inputs\", outputs = \"flat\" }\n"
                 "[pipeline.beside]\ntype = \"Beside\"\ninput_streams = [\"flat\", \"steps\"]\n"
                 "streams = { outputs = \"predictions\" }") ==
          given + "name 'last' in place of 'steps' in pipeline.beside.input_streams");
}

TEST_CASE("layers: create() gets them resolved, with what is learnt while components are created") {
    auto outcome = assembled(R"(streams = { inputs = "words", outputs = "predictions" }
layers = [{ type = "Embed", size = "vocabulary_size" }, "Flat", { type = "Dense", out = 10 }])");
    CHECK(outcome.problems == "");
    REQUIRE(outcome.plan);
    auto& plan = *outcome.plan;
    const auto& net = test::node_named(plan, "net");
    CHECK_THROWS_WITH(
        pipeline::layers_to_create(plan, net, 0),
        "e.toml:7:36: pipeline.net.layers[0].size = \"vocabulary_size\": has no value: no component "
        "published an integer for it");
    pipeline::learn_size(plan, plan.global_symbols.at("vocabulary_size"), 7, "test");
    pipeline::derive_learnt_sizes(plan);
    CHECK(inline_toml(pipeline::layers_to_create(plan, net, 0)) ==
          R"([{ type = "Embed", name = "0", settings = { size = 7 }, )"
          R"(sizes = { vocabulary_size = 7 }, )"
          R"(inputs = [{ port = 0, element = 2, stream = "inputs", dimensions = [-1, 5] }], )"
          R"(outputs = [{ port = 1, element = 1, stream = "net.0", dimensions = [-1, 5, 7] }] }, )"
          R"({ type = "Flat", name = "1", settings = {}, sizes = {}, )"
          R"(inputs = [{ port = 0, element = 1, stream = "net.0", dimensions = [-1, 5, 7] }], )"
          R"(outputs = [{ port = 1, element = 1, stream = "net.1", dimensions = [-1, 35] }] }, )"
          R"({ type = "Dense", name = "2", settings = { out_features = 10 }, sizes = {}, )"
          R"(inputs = [{ port = 0, element = 1, stream = "net.1", dimensions = [-1, 35] }], )"
          R"(outputs = [{ port = 1, element = 1, stream = "net.2", dimensions = [-1, 10] }] }])");
}

TEST_CASE("layers: of two plugins with a type the one without lists of layers is meant") {
    plugin::Catalog both = catalog();
    plugin::Catalog other = test::catalog_of(
        {Make(Kind::kTransform, "Flat").in("inputs", "...").out("outputs", "...")}, "other");
    both.plugins.push_back(other.plugins.front());
    REQUIRE(both.find("Flat").size() == 1);
    CHECK(both.find("Flat").front().plugin->manifest.name == "other");
    CHECK(both.find("test_plugin/Flat").size() == 1);
}

}  // namespace layers_test
