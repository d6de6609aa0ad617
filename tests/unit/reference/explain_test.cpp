#include "reference/explain.hpp"

#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "experiment/possible_keys.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace explain_test {

namespace {

using namespace ptp;

constexpr const char* kBase = R"([vars]
rate = 0.1
[training]
optimizer = { type = "Adam", lr = 0.5 }
[training.task]
type = "Dots"
batch_size = 8
)";

constexpr const char* kMiddle = R"(include = "base.toml"
[training.optimizer]
lr = 0.25
)";

constexpr const char* kExperiment = R"(include = ["base.toml", "middle.toml"]
[vars]
rate = 0.2
drop = { rate = "${rate}" }
twice = "${rate}"
[training]
gradient_clipping = "${twice}"
[pipeline.net]
type = "Net"
widths = [4, 5]
drop = "${drop}"
[pipeline.loss]
type = "Distance"
)";

// What is reported of a key of an experiment with these files.
std::string told(const std::string& key, const std::vector<std::string>& overrides = {},
                 const std::string& text = kExperiment) {
    const test::TempFolder folder;
    folder.write("base.toml", kBase);
    folder.write("middle.toml", kMiddle);
    const auto file = folder.write("x.toml", text);
    ptp::Diagnostics problems;
    experiment::Layers layers;
    const auto tree =
        experiment::load_experiment({.file = file, .overrides = overrides}, problems, &layers);
    REQUIRE(tree);
    const auto keys = experiment::possible_keys(*tree, "x");
    const auto catalog = reference::test::catalog();
    const auto path = key.empty() ? reference::KeyPath() : *experiment::read_key_path(key);
    const reference::Explanation provenance =
        reference::explain(path, layers, {*tree, keys, catalog});
    std::string said;
    if (const auto* none = std::get_if<reference::UnknownKey>(&provenance)) {
        said = none->why;
    }
    if (const auto* value = std::get_if<reference::ValueProvenance>(&provenance)) {
        said = provenance_text(*value);
    }
    if (const auto* table = std::get_if<reference::TableProvenance>(&provenance)) {
        said = provenance_text(*table);
    }
    const std::string prefix = folder.path().string() + "/";
    for (auto at = said.find(prefix); at != std::string::npos; at = said.find(prefix)) {
        said.erase(at, prefix.size());
    }
    return said;
}

}  // namespace

TEST_CASE("explain: a value of an included file says what it replaced, and the ways of includes") {
    CHECK(told("training.optimizer.lr") ==
          "training.optimizer.lr = 0.25\n"
          "  set at      middle.toml:3:6, included at x.toml:1:25\n"
          "  instead of  0.5, set at base.toml:4:35, included at x.toml:1:25, included at "
          "middle.toml:1:11\n"
          "  instead of  0.5, set at base.toml:4:35, included at x.toml:1:12\n"
          "  must be     a real in [0, inf)\n"
          "  default     0.001\n"
          "  means       learning rate\n"
          "  declared by ptp\n");
}

TEST_CASE("explain: an override wins over files") {
    CHECK(told("pipeline.net.widths", {"pipeline.net.widths=7"}) ==
          "pipeline.net.widths = 7\n"
          "  set at      --set\n"
          "  instead of  [4, 5], set at x.toml:10:10\n"
          "  must be     an integer or a list of integers in [1, inf)\n"
          "  default     none: it is required\n"
          "  means       Width of each layer\n"
          "  declared by Net (shapes 1.0.0)\n");
}

TEST_CASE("explain: a variable is followed through the variables that it uses") {
    CHECK(
        told("training.gradient_clipping") ==
        "training.gradient_clipping = 0.2\n"
        "  set at      x.toml:7:21 as \"${twice}\"\n"
        "  variable    twice = \"${rate}\", set at x.toml:5:9\n"
        "  variable    rate = 0.2, set at x.toml:3:8\n"
        "                instead of 0.1, set at base.toml:2:8, included at x.toml:1:25, included "
        "at middle.toml:1:11\n"
        "                instead of 0.1, set at base.toml:2:8, included at x.toml:1:12\n"
        "  must be     a real in (0, inf) or a table, or \"none\"\n"
        "  means       clips gradients: a number clips each element (clip_grad_value_), { norm = 1.0 } the norm of all of them (clip_grad_norm_)\n"
        "  declared by ptp\n");
}

TEST_CASE("explain: a value in a table that a variable stands for") {
    CHECK(told("pipeline.net.drop.rate")
              .starts_with("pipeline.net.drop.rate = 0.2\n"
                           "  set at      x.toml:11:8 as \"${drop}\" for pipeline.net.drop\n"
                           "  variable    drop = { rate = \"${rate}\" }, set at x.toml:4:8\n"
                           "  variable    rate = 0.2, set at x.toml:3:8\n"));
}

TEST_CASE("explain: a default comes from ptp, the plugin or the setting's own table") {
    CHECK(
        told("training.dataloader.prefetch") ==
        "training.dataloader.prefetch = 2\n"
        "  set at      nowhere: the default of ptp\n"
        "  must be     an integer in [1, 1024]\n"
        "  default     2\n"
        "  means       number of batches loaded ahead (small batches: up to 32, at most 1 MB in all)\n"
        "  declared by ptp\n");
    CHECK(told("pipeline.net.rate")
              .starts_with("pipeline.net.rate = 0.5\n"
                           "  set at      nowhere: the default of Net (shapes 1.0.0)\n"));
    const std::string without = "[pipeline.net]\ntype = \"Net\"\n";
    CHECK(told("pipeline.net.drop.rate", {}, without).starts_with("pipeline.net.drop.rate = 0.25"));
    CHECK(told("pipeline.net.drop.kind", {}, without)
              .starts_with("pipeline.net.drop.kind = \"relu\""));
    CHECK(told("name", {}, without).starts_with("name = \"x\""));
}

TEST_CASE(
    "explain: a key that is a value or a table is explained as one, and by the table's keys") {
    CHECK(told("pipeline.net.load") ==
          "pipeline.net.load = nothing\n"
          "  set at      nowhere, and it has no default\n"
          "  must be     the name of a run, a checkpoint or a file, or a table with it\n"
          "  means       initial weights: a run, a checkpoint or a file\n"
          "  declared by ptp\n");
    CHECK(told("pipeline.net.load.strict")
              .starts_with("pipeline.net.load.strict = true\n"
                           "  set at      nowhere: the default of ptp\n"
                           "  must be     a boolean\n"));
}

TEST_CASE("explain: a key without a value and without a default is reported as such") {
    CHECK(told("pipeline.net.widths", {}, "[pipeline.net]\ntype = \"Net\"\n")
              .starts_with("pipeline.net.widths = nothing\n"
                           "  set at      nowhere, and it has no default\n"));
}

TEST_CASE("explain: an item of a list, and an override of one") {
    CHECK(told("pipeline.net.widths.1", {"pipeline.net.widths.1=9"})
              .starts_with("pipeline.net.widths[1] = 9\n"
                           "  set at      --set\n"
                           "  instead of  5, set at x.toml:10:14\n"
                           "  must be     an integer or a list of integers in [1, inf)\n"));
}

TEST_CASE("explain: a table is reported value by value") {
    CHECK(told("pipeline.net") ==
          "pipeline.net.type             \"Net\"   x.toml:9:8\n"
          "pipeline.net.streams          -       not set\n"
          "pipeline.net.globals          -       not set\n"
          "pipeline.net.statistics       -       not set\n"
          "pipeline.net.priority         -       not set\n"
          "pipeline.net.share            -       not set\n"
          "pipeline.net.load             -       not set\n"
          "pipeline.net.freeze           false   default of ptp\n"
          "pipeline.net.enabled          true    default of ptp\n"
          "pipeline.net.phases           -       not set: in all of them\n"
          "pipeline.net.skip_if_missing  false   default of ptp\n"
          "pipeline.net.pass_through     false   default of ptp\n"
          "pipeline.net.stage            -       not set: what it declares\n"
          "pipeline.net.widths           [4, 5]  x.toml:10:10\n"
          "pipeline.net.rate             0.5     default of Net (shapes 1.0.0)\n"
          "pipeline.net.kind             \"relu\"  default of Net (shapes 1.0.0)\n"
          "pipeline.net.drop.rate        0.2     x.toml:11:8, ${drop}, ${rate}\n"
          "pipeline.net.drop.kind        \"relu\"  default of Net (shapes 1.0.0)\n");
}

TEST_CASE("explain: what holds where a key is not set is said beside it") {
    CHECK(
        told("checkpoint") ==
        "checkpoint.every_epochs    -      not set: the first epoch ends with a checkpoint, and a "
        "later one if the last checkpoint is at least 30 s old\n"
        "checkpoint.every_episodes  0      default of ptp\n"
        "checkpoint.every           \"10m\"  default of ptp\n"
        "checkpoint.keep            2      default of ptp\n");
}

TEST_CASE("explain: a table that is left out is one line, not its missing keys") {
    const std::string all = told("");
    CHECK(all.find("training.sampler ") != std::string::npos);
    CHECK(all.find("training.sampler.type") == std::string::npos);
}

TEST_CASE("explain: a group, and a use of one, are reported as they are written") {
    const std::string group =
        "[group.pair]\nstreams = [\"a\"]\n[group.pair.net]\ntype = \"Net\"\n"
        "[pipeline.two]\nuse = \"pair\"\nstreams = { a = \"b\" }\n";
    CHECK(told("group", {}, group) ==
          "group.pair.streams   [\"a\"]  x.toml:2:11\n"
          "group.pair.net.type  \"Net\"  x.toml:4:8\n");
    CHECK(told("pipeline.two", {}, group) ==
          "pipeline.two.use        \"pair\"  x.toml:6:7\n"
          "pipeline.two.streams.a  \"b\"     x.toml:7:17\n");
    CHECK(told("pipeline.two.use", {}, group).starts_with("pipeline.two.use = \"pair\"\n"));
    CHECK(told("pipeline.two_net.type", {}, group).find("x.toml:4:8") != std::string::npos);
    CHECK(told("group.single", {}, group) == "group.single: is not written");
}

TEST_CASE("explain: variables can be asked for too") {
    CHECK(told("vars.rate", {"vars.rate=0.3"})
              .starts_with("vars.rate = 0.3\n"
                           "  set at      --set\n"
                           "  instead of  0.2, set at x.toml:3:8\n"));
}

TEST_CASE("explain: all variables can be asked for, and an unknown one is reported") {
    CHECK(told("vars") ==
          "vars.rate   0.2                   x.toml:3:8\n"
          "vars.drop   { rate = \"${rate}\" }  x.toml:4:8, ${rate}\n"
          "vars.twice  \"${rate}\"             x.toml:5:9, ${rate}\n");
    CHECK(told("vars.twce") == "vars.twce: unknown variable; did you mean 'twice'?");
    CHECK(told("vars.nothing_like_it") ==
          "vars.nothing_like_it: unknown variable; known: rate, drop, twice");
    CHECK(told("vars.drop.rate") ==
          "vars.drop: a variable is explained as a whole, not by its parts");
    CHECK(told("vars", {}, "[training]\n") == "vars: the experiment sets no variables");
}

TEST_CASE("explain: what an option empties is neither there nor listed") {
    const std::string group =
        "[vars]\nx = 1\n[group.pair]\nstreams = [\"a\"]\n[group.pair.net]\ntype = \"Net\"\n"
        "widths = 4\n[pipeline.two]\nuse = \"pair\"\nstreams = { a = \"b\" }\n";
    const std::vector<std::string> again = {"group.pair.net={}", "group.pair.net.type=Net"};
    CHECK(told("group.pair.net", again, group) == "group.pair.net.type  \"Net\"  --set\n");
    CHECK(told("group.pair.net.widths", again, group) == "group.pair.net.widths: is not written");
    CHECK(told("group.pair.net.type", again, group) ==
          "group.pair.net.type = \"Net\"\n"
          "  set at      --set\n"
          "  instead of  \"Net\", set at x.toml:6:8\n");
    CHECK(told("vars", {"vars={}", "vars.y=2"}, group) == "vars.y  2  --set\n");
    CHECK(told("vars.x", {"vars={}", "vars.y=2"}, group) == "vars.x: unknown variable; known: y");
}

TEST_CASE("explain: an unknown key suggests the nearest") {
    CHECK(told("training.optimzer.lr") ==
          "training.optimzer: unknown key; did you mean 'optimizer'?");
    CHECK(told("pipeline.net.width") == "pipeline.net.width: unknown key; did you mean 'widths'?");
    CHECK(told("pipeline.net.widths.7") ==
          "pipeline.net.widths[7]: the list at x.toml:10:10 has 2 items, which count from 0");
    CHECK(told("seed.x") == "seed.x: unknown key");
}

TEST_CASE("explain: the end of a key means the only key that ends so") {
    const std::string rate = told("training.optimizer.lr");
    CHECK(told("lr") == rate);
    CHECK(told("optimizer.lr") == rate);
    CHECK(told("widths") == told("pipeline.net.widths"));
    CHECK(told("optimizer") == told("training.optimizer"));
}

TEST_CASE("explain: a key as other programs call it is understood") {
    CHECK(told("learning_rate") == told("training.optimizer.lr"));
    CHECK(told("epochs") == told("training.terminal_conditions.epoch_limit"));
}

TEST_CASE("explain: keys that a short one could mean are named") {
    CHECK(told("rate") ==
          "rate: unknown key; keys that end with it: pipeline.net.rate, pipeline.net.drop.rate");
    CHECK(told("type") ==
          "type: unknown key; keys that end with it: training.task.type, training.optimizer.type, "
          "pipeline.net.type, pipeline.loss.type");
    CHECK(told("width") == "width: unknown key; did you mean 'pipeline.net.widths'?");
    CHECK(told("Widhts") == "Widhts: unknown key; did you mean 'pipeline.net.widths'?");
}

}  // namespace explain_test
