#include "experiment/load/groups.hpp"

#include "base/toml_writer.hpp"
#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <string>

namespace groups_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;

namespace {

constexpr const char* kTower = R"([group.tower]
streams = ['images', 'vectors']
parameters = { channels = 16 }
[group.tower.encoder]
type = 'Encoder'
channels = '${channels}'
title = '${name} of ${channels}'
streams = { inputs = 'images', maps = 'maps' }
[group.tower.flat]
type = 'Flatten'
streams = { inputs = 'maps', outputs = 'vectors' }
)";

std::string pipeline_of(const std::string& rest, const std::string& group = kTower) {
    return to_toml(*tree(group + rest).find("pipeline"));
}

std::string problems_with(const std::string& rest, const std::string& group = kTower) {
    return problems_of_loading(group + rest);
}

}  // namespace

TEST_CASE("groups: each use has the components, with its streams and those of its own") {
    CHECK(pipeline_of("[pipeline.left]\nuse = 'tower'\n"
                      "streams = { images = 'a', vectors = 'left_vectors' }\n"
                      "[pipeline.right]\nuse = 'tower'\nparameters = { channels = 32 }\n"
                      "streams = { vectors = 'right_vectors' }\nphases = ['training']\n") ==
          R"([left_encoder]
type = "Encoder"
channels = 16
title = "left of 16"

[left_encoder.streams]
inputs = "a"
maps = "left_maps"

[left_flat]
type = "Flatten"

[left_flat.streams]
inputs = "left_maps"
outputs = "left_vectors"

[right_encoder]
type = "Encoder"
channels = 32
title = "right of 32"
phases = ["training"]

[right_encoder.streams]
inputs = "images"
maps = "right_maps"

[right_flat]
type = "Flatten"
phases = ["training"]

[right_flat.streams]
inputs = "right_maps"
outputs = "right_vectors"
)");
}

TEST_CASE("groups: a use that shares another has its weights and settings, and its own streams") {
    const Value root = tree(kTower + std::string("[pipeline.left]\nuse = 'tower'\n"
                                                 "[pipeline.right]\nuse = 'tower'\n"
                                                 "share = 'left'\nstreams = { images = 'b' }\n"));
    CHECK(*root.find_path("pipeline.right_encoder") ==
          Value::table({{"share", "left_encoder"},
                        {"streams", Value::table({{"inputs", "b"}, {"maps", "right_maps"}})}}));
    CHECK(*root.find_path("pipeline.right_flat.share") == Value("left_flat"));
}

TEST_CASE("groups: a shared use has those keys of a component that are its own beside share") {
    const Value root = tree(
        "[group.g]\n[group.g.net]\ntype = 'Net'\nwidth = 3\nglobals = { a = 'b' }\n"
        "freeze = true\npriority = 1\nstatistics = { loss = '${name}_loss' }\nenabled = true\n"
        "skip_if_missing = true\nphases = ['training']\nstage = 'forward'\n"
        "[pipeline.x]\nuse = 'g'\n[pipeline.y]\nuse = 'g'\nshare = 'x'\n");
    CHECK(*root.find_path("pipeline.y_net") ==
          Value::table({{"share", "x_net"},
                        {"priority", 1},
                        {"statistics", Value::table({{"loss", "y_loss"}})},
                        {"enabled", true},
                        {"skip_if_missing", true},
                        {"phases", Value::list({"training"})},
                        {"stage", "forward"}}));
}

TEST_CASE("groups: a model that is shared within a group is the one of the use") {
    const std::string group =
        "[group.pair]\nstreams = ['a', 'b', 'va', 'vb']\n"
        "[group.pair.first]\ntype = 'Net'\nstreams = { inputs = 'a', outputs = 'va' }\n"
        "[group.pair.second]\nshare = 'first'\nstreams = { inputs = 'b', outputs = 'vb' }\n";
    const Value root = tree(group +
                            "[pipeline.x]\nuse = 'pair'\n[pipeline.y]\nuse = 'pair'\n"
                            "share = 'x'\n");
    CHECK(*root.find_path("pipeline.x_second.share") == Value("x_first"));
    CHECK(*root.find_path("pipeline.y_first.share") == Value("x_first"));
    CHECK(*root.find_path("pipeline.y_second.share") == Value("x_first"));
}

TEST_CASE("groups: map makes one for each item of the lists, with one set of weights or several") {
    const std::string use =
        "[pipeline.side]\nuse = 'tower'\n"
        "map = { images = ['a', 'b'], vectors = ['va', 'vb'] }\n";
    const Value shared = tree(kTower + use);
    CHECK(*shared.find_path("pipeline.side_1_encoder.type") == Value("Encoder"));
    CHECK(*shared.find_path("pipeline.side_1_encoder.streams") ==
          Value::table({{"inputs", "a"}, {"maps", "side_1_maps"}}));
    CHECK(*shared.find_path("pipeline.side_2_encoder") ==
          Value::table({{"share", "side_1_encoder"},
                        {"streams", Value::table({{"inputs", "b"}, {"maps", "side_2_maps"}})}}));
    const Value own = tree(kTower + use + "weights = 'own'\n");
    CHECK(*own.find_path("pipeline.side_2_encoder.title") == Value("side_2 of 16"));
    CHECK(own.find_path("pipeline.side_2_encoder.share") == nullptr);
}

TEST_CASE("groups: a parameter may be a variable, and --set changes it") {
    const std::string use =
        "[pipeline.left]\nuse = 'tower'\nparameters = { channels = '${wide}' }\n"
        "[vars]\nwide = 64\n";
    CHECK(*tree(kTower + use).find_path("pipeline.left_encoder.channels") == Value(64));
    CHECK(*tree(kTower + std::string("[pipeline.left]\nuse = 'tower'\n"),
                {"pipeline.left.parameters.channels=8"})
               .find_path("pipeline.left_encoder.channels") == Value(8));
    CHECK(*tree(kTower + use, {"group.tower.parameters.channels=4"})
               .find_path("pipeline.left_encoder.channels") == Value(64));
}

TEST_CASE("groups: parameters may name one another in any order, and themselves as variables") {
    const std::string group =
        "[group.g]\nparameters = { a = 2, wide = '${a}', all = ['${wide}', 'x${a}'], w = '${w}' }\n"
        "[group.g.net]\ntype = 'Net'\nx = '${wide}'\ny = '${all}'\nz = '${w}'\n";
    const Value root = tree(group + "[pipeline.left]\nuse = 'g'\n[vars]\nw = 7\n");
    CHECK(*root.find_path("pipeline.left_net.x") == Value(2));
    CHECK(*root.find_path("pipeline.left_net.y") == Value::list({2, "x2"}));
    CHECK(*root.find_path("pipeline.left_net.z") == Value(7));
}

TEST_CASE("groups: a doubled dollar sign is a plain one") {
    const Value root = tree(
        "[group.g]\n[group.g.net]\ntype = 'Net'\nx = '$${name} of ${name}'\n"
        "[pipeline.left]\nuse = 'g'\n");
    CHECK(*root.find_path("pipeline.left_net.x") == Value("${name} of left"));
}

TEST_CASE("groups: parameters that grow without bound are refused") {
    const std::string net = "[group.g.net]\ntype = 'Net'\nx = '${p10}'\n";
    const std::string use = "[pipeline.left]\nuse = 'g'\n[pipeline.right]\nuse = 'g'\n";
    std::string doubled = "[group.g.parameters]\n";
    for (int i = 10; i < 40; ++i) {
        doubled += fmt::format("p{} = '${{p{}}}${{p{}}}'\n", i, i + 1, i + 1);
    }
    CHECK(problems_with(use, doubled + "p40 = 'x'\n" + net) ==
          "x.toml:36:1: pipeline.left: groups make the experiment larger than 16 MiB");
    std::string chain = "[group.g.parameters]\n";
    for (int i = 10; i < 50; ++i) {
        chain += fmt::format("p{} = '${{p{}}}'\n", i, i + 1);
    }
    CHECK(problems_with(use, chain + "p50 = 'x'\n" + net) ==
          "x.toml:46:1: pipeline.left: more than 32 parameters in a row");
    const std::string big = "[group.g]\nstreams = ['a']\n[group.g.net]\ntype = '" +
                            std::string(1 << 20, 'x') +
                            "'\n[pipeline.left]\nuse = 'g'\nmap = { a = [";
    std::string streams;
    for (int i = 0; i < 20; ++i) {
        streams += fmt::format("'s{}', ", i);
    }
    CHECK(problems_with(big + streams + "] }\n", "") ==
          "x.toml:5:1: pipeline.left: groups make the experiment larger than 16 MiB");
}

TEST_CASE("groups: a table without a type, or --set, changes one component of a use") {
    const std::string use =
        "[pipeline.left_encoder]\nfreeze = true\nstreams = { more = 'other' }\n"
        "[pipeline.left]\nuse = 'tower'\n[pipeline.right]\nuse = 'tower'\n";
    const Value root = tree(kTower + use, {"pipeline.right_encoder.channels=8"});
    CHECK(*root.find_path("pipeline.left_encoder.freeze") == Value(true));
    CHECK(*root.find_path("pipeline.left_encoder.type") == Value("Encoder"));
    CHECK(*root.find_path("pipeline.left_encoder.streams") ==
          Value::table({{"inputs", "images"}, {"maps", "left_maps"}, {"more", "other"}}));
    CHECK(*root.find_path("pipeline.right_encoder.channels") == Value(8));
    CHECK(root.find("pipeline")->members().size() == 4);
}

TEST_CASE("groups: a use is left out by its name, or where it is") {
    const std::string uses =
        "[pipeline]\ndisable = ['right']\n[pipeline.left]\nuse = 'tower'\n"
        "[pipeline.right]\nuse = 'tower'\n"
        "[pipeline.other]\nuse = 'tower'\nenabled = false\n";
    const Value root = tree(kTower + uses);
    CHECK(*root.find_path("pipeline.disable") == Value::list({"right_encoder", "right_flat"}));
    CHECK(root.find_path("pipeline.other_encoder") == nullptr);
    CHECK(root.find("group") == nullptr);
}

TEST_CASE("groups: a use that is left out takes along the tables over its components") {
    const Value root = tree(kTower + std::string("[pipeline.left]\nuse = 'tower'\n[pipeline.x]\n"
                                                 "use = 'tower'\nenabled = false\n"
                                                 "map = { images = ['a', 'b'] }\n"
                                                 "[pipeline.x_2_encoder]\nchannels = 3\n"));
    CHECK(root.find_path("pipeline.x_2_encoder") == nullptr);
    CHECK(root.find("pipeline")->members().size() == 2);
}

TEST_CASE("groups: a component of a group without a type stays, to be reported") {
    const Value root = tree(
        "[group.g]\n[group.g.net]\nsize = 1\n[pipeline.left]\nuse = 'g'\n"
        "[pipeline.left_net]\nsize = 2\n");
    CHECK(*root.find("pipeline") == Value::table({{"left_net", Value::table({{"size", 2}})}}));
}

TEST_CASE("groups: mistakes of a use are reported with their places") {
    const std::string use = "[pipeline.left]\nuse = 'tower'\n";
    CHECK(problems_with("[pipeline.left]\nuse = 'towr'\n") ==
          "x.toml:13:7: pipeline.left.use = \"towr\": unknown group; did you mean 'tower'?");
    CHECK(problems_with(use + "streams = { image = 'a' }\n") ==
          "x.toml:14:13: pipeline.left.streams.image: is not among the streams of the group; did "
          "you mean 'images'?");
    CHECK(problems_with(use + "parameters = { chanels = 1 }\n") ==
          "x.toml:14:16: pipeline.left.parameters.chanels: is not among the parameters of the "
          "group; did you mean 'channels'?");
    CHECK(problems_with(use + "share = 'right'\n") ==
          "x.toml:14:9: pipeline.left.share = \"right\": must be an earlier use of the group "
          "'tower' that has its own weights");
    CHECK(
        problems_with(use + "[pipeline.right]\nuse = 'tower'\nshare = 'left'\n"
                            "parameters = { channels = 1 }\n") ==
        "x.toml:17:14: pipeline.right.parameters = { channels = 1 }: has no meaning beside share: "
        "they are those of 'left'");
    CHECK(problems_with(use + "map = { images = ['a', 'b'], vectors = ['c'] }\n") ==
          "x.toml:14:40: pipeline.left.map.vectors = [\"c\"]: must have 2 streams, as the first "
          "list of map");
    CHECK(problems_with(use + "streams = { images = 'a' }\nmap = { images = ['b', 'c'] }\n") ==
          "x.toml:15:9: pipeline.left.map.images: is in streams, too\n    fix: remove it there");
    CHECK(problems_with(use + "map = { images = 'a' }\n") ==
          "x.toml:14:18: pipeline.left.map.images = \"a\": must be a list of names of streams");
    CHECK(problems_with(use + "[pipeline.left_flat]\ntype = 'Flatten'\n") ==
          "x.toml:12:1: pipeline.left: makes the component 'left_flat', which is there already, at "
          "x.toml:14:1");
    CHECK(problems_with(use + "type = 'Net'\n") ==
          "x.toml:14:1: pipeline.left.type: unknown key; known: use, streams, parameters, "
          "map, share, weights, enabled, phases");
}

TEST_CASE("groups: two uses that make one component name are refused") {
    const std::string groups =
        "[group.g]\n[group.g.b_c]\ntype = 'Net'\n[group.h]\n[group.h.c]\ntype = 'Net'\n";
    CHECK(problems_with("[pipeline.a]\nuse = 'g'\n[pipeline.a_b]\nuse = 'h'\n", groups) ==
          "x.toml:9:1: pipeline.a_b: makes the component 'a_b_c', which the use at x.toml:7:1 "
          "makes, too\n    fix: give one of the two uses another name");
    CHECK(problems_with("[pipeline.left_1]\nuse = 'h'\n[pipeline.left]\nuse = 'in'\n"
                        "map = { images = ['a', 'b'] }\n",
                        groups + "[group.in]\nstreams = ['images']\n[group.in.c]\n"
                                 "type = 'Net'\nstreams = { x = 'images' }\n"
                                 "[pipeline.a]\nuse = 'g'\n") ==
          "x.toml:16:1: pipeline.left: makes the component 'left_1_c', which the use at "
          "x.toml:14:1 makes, too\n    fix: give one of the two uses another name");
}

TEST_CASE("groups: what is never used is warned of") {
    CHECK(problems_with("[pipeline.net]\ntype = 'Net'\n") ==
          "x.toml:1:1: group.tower: warning: never used");
    CHECK(problems_with("[pipeline.left]\nuse = 'tower'\n",
                        "[group.tower]\nparameters = { a = 1 }\n[group.tower.net]\ntype = 'N'\n") ==
          "x.toml:2:16: group.tower.parameters.a: warning: never used");
}

TEST_CASE("groups: mistakes of a group are reported with their places") {
    const std::string use = "[pipeline.left]\nuse = 'tower'\n";
    CHECK(problems_with("[group.other]\n[group.other.x]\nuse = 'tower'\n" + use) ==
          "x.toml:14:7: group.other.x.use = \"tower\": a group cannot use another one");
    CHECK(problems_with(use, "[group.tower]\nparameters = { a = 1 }\nchannels = 2\n") ==
          "x.toml:3:12: group.tower.channels = 2: a component must be a table; other keys are "
          "streams and parameters");
    CHECK(problems_with(use, "[group.tower]\nparameters = { name = 1 }\n") ==
          "x.toml:2:16: group.tower.parameters.name: is the name of the use, in each group\n"
          "    fix: give the parameter another name");
    CHECK(problems_with("", "group = 1\n[pipeline]\n") ==
          "x.toml:1:9: group = 1: must be a table, with a table for each group");
    CHECK(problems_with("", "[group]\na = 1\n[pipeline]\n") ==
          "x.toml:2:5: group.a = 1: must be a table of components");
}

TEST_CASE("groups: an error in a group names the uses that have it") {
    Diagnostics problems;
    const GroupUses uses = {{.name = "left",
                             .group = "tower",
                             .place = SourceLocation("x.toml", 12, 1),
                             .group_place = SourceLocation("x.toml", 1, 1),
                             .components = {"left_encoder", "left_flat"}},
                            {.name = "right",
                             .group = "tower",
                             .place = SourceLocation("x.toml", 20, 1),
                             .group_place = SourceLocation("x.toml", 1, 1),
                             .components = {"right_encoder"}}};
    problems.error(SourceLocation("x.toml", 6, 1), "pipeline.left_encoder.channels", "is wrong");
    problems.error(SourceLocation("x.toml", 9, 1), "", "pipeline.left_flat: is wrong");
    name_uses(uses, problems);
    CHECK(problems.text() ==
          "x.toml:6:1: pipeline.left_encoder.channels: is wrong\n"
          "x.toml:9:1: pipeline.left_flat: is wrong\n"
          "x.toml:12:1: pipeline.left: is [group.tower] of x.toml:1:1, where this is wrong: "
          "pipeline.left_encoder, pipeline.left_flat");
}

TEST_CASE("groups: the components are a layer, so that explain finds their places") {
    Loader loader(kTower + std::string("[pipeline.left]\nuse = 'tower'\n"));
    Diagnostics problems;
    Layers layers;
    REQUIRE(load_experiment({loader.folder() + "/x.toml"}, problems, &layers));
    const Value* const channels = layers.back().tree.find_path("pipeline.left_flat.type");
    REQUIRE(channels != nullptr);
    CHECK(channels->place().line() == 10);
}

}  // namespace groups_test
