#include "pipeline/declaration.hpp"

#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

using namespace ptp;
using plugin::Kind;
using test::Make;

namespace {

std::string said_of(const plugin::Component& component) {
    return fmt::format("{}", fmt::join(pipeline::check_declaration(component), "\n"));
}

plugin::Setting real(std::string name, std::string default_value, std::string range) {
    plugin::Setting setting;
    setting.type = plugin::SettingType::real;
    setting.name = std::move(name);
    setting.default_value = std::move(default_value);
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

TEST_CASE("declaration: a text that cannot be read is told, with what it belongs to") {
    CHECK(said_of(Make(Kind::model, "Net").in("inputs", "B,")) ==
          "port 'inputs': shape \"B,\": expected a size, a name, '*' or '$' but found the end");
    CHECK(said_of(Make(Kind::model, "Net").in("inputs", "$size")) ==
          "port 'inputs': shape \"$size\": there is no setting 'size'");
    CHECK(said_of(Make(Kind::model, "Net").strings("size").in("inputs", "T^$size")) ==
          "port 'inputs': shape \"T^$size\": setting 'size' is no size");
    CHECK(said_of(Make(Kind::model, "Net").in("inputs", "B").when("mask")) ==
          "port 'inputs': condition \"mask\": there is no setting 'mask'");
    CHECK(said_of(Make(Kind::model, "Net").writes("size", "3, 4")) ==
          "global 'size': value \"3, 4\": expected the end but found ', 4'");
    CHECK(said_of(Make(Kind::model, "Net").setting(real("rate", "0.5", "[0, 1"))) ==
          "setting 'rate': \"[0, 1\" is no interval");
    CHECK(said_of(Make(Kind::model, "Net").setting(real("rate", "1.5", "[0, 1]"))) ==
          "setting 'rate': the default 1.5 is not a real in [0, 1]");
    CHECK(said_of(Make(Kind::task, "Task").out("indices", "B")) ==
          "port 'indices': the host itself gives every task one");
}

TEST_CASE("declaration: a condition on a choice that does not exist is told") {
    plugin::Setting mode;
    mode.type = plugin::SettingType::enumeration;
    mode.name = "mode";
    mode.choices = {"Dense", "Last"};
    CHECK(said_of(Make(Kind::model, "Net").setting(mode).in("x", "B").when("mode = None")) ==
          "port 'x': condition \"mode = None\": 'mode' can never be 'None'");
}

TEST_CASE("declaration: a mistake in a plugin is placed in the plugin's file") {
    const auto outcome = test::assemble_text(
        "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { type = \"Task\", "
        "batch_size = 1 }\n"
        "[pipeline.loss]\ntype = \"Loss\"\n",
        test::catalog_of({Make(Kind::task, "Task").out("x", "B"),
                          Make(Kind::loss, "Loss").in("x", "B C").loss("loss")}));
    CHECK(
        outcome.problems ==
        "/plugins/test_plugin.so: plugin 'test_plugin', component 'Loss': port 'x': shape \"B C\": "
        "expected ',' but found 'C'");
}
