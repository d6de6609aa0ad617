#include "pipeline/declaration.hpp"

#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

namespace declaration_test {

using namespace ptp;
using plugin::Kind;
using test::Make;

namespace {

std::string said_of(const plugin::Component& component) {
    return fmt::format("{}", fmt::join(pipeline::check_declaration(component), "\n"));
}

plugin::Setting real(std::string name, std::string default_value, std::string range) {
    plugin::Setting setting =
        test::setting_of(plugin::SettingType::kReal, std::move(name), std::move(default_value));
    setting.range = std::move(range);
    return setting;
}

}  // namespace

TEST_CASE("declaration: what tests use is declared well") {
    const plugin::Catalog catalog = test::usual_catalog();
    for (const plugin::Component& component : catalog.plugins[0].manifest.components) {
        CHECK(said_of(component) == "");
    }
}

TEST_CASE("declaration: a text that cannot be read is reported, with what it belongs to") {
    CHECK(said_of(Make(Kind::kModel, "Net").in("inputs", "B,")) ==
          "port 'inputs': shape \"B,\": expected a size, a name, '*' or '$' but found the end");
    CHECK(said_of(Make(Kind::kModel, "Net").in("inputs", "$size")) ==
          "port 'inputs': shape \"$size\": unknown setting 'size'");
    CHECK(said_of(Make(Kind::kModel, "Net").strings("size").in("inputs", "T^$size")) ==
          "port 'inputs': shape \"T^$size\": setting 'size' is not a size");
    CHECK(said_of(Make(Kind::kModel, "Net").in("inputs", "B").when("mask")) ==
          "port 'inputs': condition \"mask\": unknown setting 'mask'");
    CHECK(said_of(Make(Kind::kModel, "Net").writes("size", "3, 4")) ==
          "global 'size': value \"3, 4\": expected an operator or the end but found ', 4'");
    CHECK(said_of(Make(Kind::kTask, "Task").out("indices", "B")) ==
          "port 'indices': reserved: the host adds this output to every task");
    CHECK(said_of(Make(Kind::kModel, "Net").integers("sizes").out("outputs", "B, $sizes[]")) ==
          "port 'outputs': shape \"B, $sizes[]\": only a port with streams_setting has an element "
          "for each stream");
    plugin::Component counted = Make(Kind::kLoss, "Loss").loss("loss");
    counted.ports.back().element = plugin::Element::kInteger;
    CHECK(said_of(counted) == "port 'loss': a loss must be an output of floating numbers");
}

TEST_CASE("declaration: a meaning has known words, and an output has one of them or an input's") {
    const auto net = [](const char* meaning) {
        return Make(Kind::kModel, "Net")
            .flag("soft")
            .in("inputs", "B")
            .out("y", "B")
            .meaning(meaning);
    };
    CHECK(said_of(net("log_probabilities if soft; scores")) == "");
    CHECK(said_of(net("inputs")) == "");
    CHECK(said_of(net("logits")) == "port 'y': meaning \"logits\": unknown meaning 'logits'");
    CHECK(said_of(net("scores|values")) ==
          "port 'y': meaning \"scores|values\": an output has one meaning at a time");
    CHECK(said_of(net("scores if hard")) ==
          "port 'y': meaning \"scores if hard\": unknown setting 'hard'");
    CHECK(said_of(net("scores;")) == "port 'y': meaning \"scores;\": expected a meaning, not ''");
    CHECK(said_of(Make(Kind::kModel, "Net").in("x", "B").meaning("scores|values")) == "");
    CHECK(said_of(Make(Kind::kModel, "Net").in("x", "B").meaning("x")) ==
          "port 'x': meaning \"x\": unknown meaning 'x'");
}

TEST_CASE("declaration: a condition on a choice that does not exist is reported") {
    const plugin::Setting mode = test::choice_of("mode", {"Dense", "Last"});
    CHECK(said_of(Make(Kind::kModel, "Net").setting(mode).in("x", "B").when("mode = None")) ==
          "port 'x': condition \"mode = None\": 'mode' can never be 'None'");
}

TEST_CASE("declaration: a formula names what the component has, and nothing else") {
    const auto net = [] {
        plugin::Setting shares = real("shares", "[]", "(0, 1)");
        shares.list_depth = 1;
        return Make(Kind::kModel, "Net")
            .integer("kernel", "3")
            .strings("names", "[]")
            .setting(real("rate", "0.5", "[0, 1]"))
            .setting(shares)
            .setting(test::setting_of(plugin::SettingType::kAny, "columns"))
            .setting(test::choice_of("mode", {"wide", "narrow"}))
            .in("inputs", "B, width")
            .in("parts", "...")
            .named_by("names")
            .reads("depth");
    };
    CHECK(said_of(net().writes("size", "2 * width + depth - $kernel")) == "");
    CHECK(said_of(net().writes("size", "if($mode = 'wide', 2, 1) * rank(inputs)")) == "");
    CHECK(said_of(net().writes("size", "sum(parts[1]) + length($names)")) == "");
    CHECK(said_of(net().out("outputs", "inputs[:1], (2 * width)")) == "");
    CHECK(said_of(net().needs("length($names) = width", "must be as many")) == "");
    CHECK(said_of(net().needs("sum($shares) <= 1", "must be at most 1")) == "");
    CHECK(said_of(net().needs("$columns.a.b = 'c' or !$columns.d", "must be c")) == "");
    const struct {
        const char* value;
        const char* sentence;
    } cases[] = {
        {"2 * widht", "unknown dimension or global 'widht'; did you mean 'width'?"},
        {"2 * size", "unknown dimension or global 'size'; known: B, width, depth"},
        {"2 * $kernels", "unknown setting 'kernels'"},
        {"2 * $rate", "setting 'rate' is not an integer"},
        {"2 * $kernel.size", "unknown setting 'kernel.size'"},
        {"sum($rate)", "setting 'rate' is not an integer"},
        {"2 * $columns.a", "setting 'columns.a' is not an integer"},
        {"length($kernel)", "setting 'kernel' is not a list"},
        {"rank(outputs)", "unknown input 'outputs'"},
        {"product(parts[1:])",
         "input 'parts' represents several streams, which have no common sizes"},
        {"if($mode = 'huge', 1)", "'mode' can never be 'huge'"},
        {"if($modes = 'wide', 1)", "unknown setting 'modes'"},
        {"file_size($names, 'x')", "setting 'names' is not a path"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.value);
        CHECK(said_of(net().writes("size", c.value)) ==
              fmt::format("global 'size': value \"{}\": {}", c.value, c.sentence));
    }
    CHECK(said_of(net().out("outputs", "B, (height)")) ==
          "port 'outputs': shape \"B, (height)\": unknown dimension or global "
          "'height'; known: B, width, depth");
    CHECK(said_of(net().in("more", "inputs[1:]")) ==
          "port 'more': shape \"inputs[1:]\": only a single output has dimensions of an input");
    CHECK(said_of(net().needs("width", "must be")) ==
          "requirement \"width\": expected '=', '!=', '<', '<=', '>' or '>=' but found the end");
    CHECK(said_of(net().needs("width = 1 2", "must be")) ==
          "requirement \"width = 1 2\": expected 'and', 'or' or the end but found '2'");
    CHECK(said_of(net().reads_if_named("words").needs("depth = 1", "must be", "!words")) == "");
    CHECK(said_of(net().reads("words").needs("depth = 1", "must be", "!words")) ==
          "requirement \"depth = 1\": condition \"!words\": unknown setting 'words'");
    CHECK(said_of(net().samples("2 *")) ==
          "sample_count \"2 *\": expected a number, a name, '$', '(' or '-' but found the end");
}

TEST_CASE("declaration: a mistake in a plugin is placed in the plugin's file") {
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = \"Task\", "
        "batch_size = 1 }\n"
        "[pipeline.loss]\ntype = \"Loss\"\n",
        test::catalog_of({Make(Kind::kTask, "Task").out("x", "B"),
                          Make(Kind::kLoss, "Loss").in("x", "B C").loss("loss")}));
    CHECK(
        outcome.problems ==
        "/plugins/test_plugin.so: plugin 'test_plugin', component 'Loss': port 'x': shape \"B C\": "
        "expected ',' but found 'C'");
}

}  // namespace declaration_test
