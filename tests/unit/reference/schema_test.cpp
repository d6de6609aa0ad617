#include "reference/schema.hpp"

#include "experiment/possible_keys.hpp"
#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace schema_test {

namespace {

using ptp::reference::SchemaScope;
using ptp::schema::Json;

Json schema(SchemaScope scope = SchemaScope::kWhole) {
    return ptp::reference::experiment_schema(ptp::reference::test::catalog(), scope);
}

// The component of this type in the choices of [pipeline.NAME].
Json component(const std::string& type, SchemaScope scope = SchemaScope::kWhole) {
    const Json all = schema(scope);
    const Json& pipeline = all.at("properties").at("pipeline").at("anyOf").at(0);
    for (const Json& one : pipeline.at("additionalProperties").at("anyOf").at(0).at("anyOf")) {
        const Json& names = one.at("properties").at("type");
        if (names.contains("enum") && names.at("enum").at(0) == type) {
            return one;
        }
    }
    FAIL("no such component");
    return {};
}

}  // namespace

TEST_CASE("schema: a setting has its type, range, default and help") {
    const Json expected = Json::parse(R"({
        "anyOf": [{"type": "number", "minimum": 0.0, "exclusiveMaximum": 1.0},
                  {"$ref": "#/definitions/variable"}],
        "description": "Chance of dropping a unit", "default": 0.5})");
    CHECK(component("Net").at("properties").at("rate") == expected);
}

TEST_CASE("schema: a list that can be given as one value, with its length") {
    const Json expected = Json::parse(R"({
        "anyOf": [
          {"anyOf": [{"type": "integer", "minimum": 1}, {"$ref": "#/definitions/variable"}]},
          {"anyOf": [{"type": "array",
                      "items": {"anyOf": [{"type": "integer", "minimum": 1},
                                          {"$ref": "#/definitions/variable"}]},
                      "minItems": 1, "maxItems": 4},
                     {"$ref": "#/definitions/variable"}]}],
        "description": "Width of each layer"})");
    CHECK(component("Net").at("properties").at("widths") == expected);
}

TEST_CASE("schema: a component knows its names, and refuses other keys") {
    const Json net = component("Net");
    CHECK(net.at("properties").at("type").at("enum") == Json({"Net", "shapes/Net"}));
    CHECK(net.at("properties").at("type").at("description") == "A Net");
    CHECK(net.at("title") == "Net, a model of shapes 1.0.0");
    CHECK(net.at("additionalProperties") == false);
    CHECK(net.at("required") == Json({"type", "widths"}));
    CHECK_FALSE(component("Net", SchemaScope::kPart).contains("required"));
}

TEST_CASE("schema: globals take names and constants, streams take names") {
    const Json properties = component("Net").at("properties");
    CHECK(properties.at("globals").dump().find("additionalProperties") == std::string::npos);
    CHECK(properties.at("streams").dump().find("additionalProperties") != std::string::npos);
}

TEST_CASE("schema: a type that two plugins have needs its plugin") {
    auto catalog = ptp::reference::test::catalog();
    catalog.plugins.push_back(catalog.plugins.front());
    catalog.plugins.back().manifest.name = "other";
    const std::string text = ptp::reference::experiment_schema(catalog, SchemaScope::kWhole).dump();
    CHECK(text.find(R"(["shapes/Net"])") != std::string::npos);
    CHECK(text.find(R"(["other/Net"])") != std::string::npos);
    CHECK(text.find(R"("Net",)") == std::string::npos);
}

TEST_CASE("schema: an optimizer has the keys of its type alone") {
    const Json all = schema();
    const Json& training = all.at("properties").at("training").at("anyOf").at(0);
    const Json& variants = training.at("properties").at("optimizer").at("anyOf").at(0).at("anyOf");
    const Json& sgd = variants.at(0);
    CHECK(sgd.at("properties").at("type").at("enum") == Json({"SGD"}));
    CHECK(sgd.at("properties").contains("nesterov"));
    CHECK_FALSE(sgd.at("properties").contains("betas"));
    CHECK(sgd.at("required") == Json({"type", "lr"}));
    CHECK(sgd.at("properties").at("lr").at("description") == "learning rate");
}

TEST_CASE("schema: every key of ptp has help and, unless it is read by a plugin, a form") {
    using namespace ptp;
    const Value tree = Value::table({{"pipeline", Value::table({{"net", Value()}})}});
    const auto check = [](const std::string& table, const std::vector<schema::Key>& keys) {
        for (const schema::Key& key : keys) {
            CAPTURE(table);
            CAPTURE(key.name);
            CHECK(key.help != "");
            CHECK((key.is_map || key.form != schema::Form::kAny));
        }
    };
    const schema::KeyRecord record = experiment::possible_keys(tree);
    for (const auto& [path, table] : record.tables()) {
        check(path, table.keys);
        for (const schema::KindKeys& kind : table.kinds) {
            CHECK(kind.help != "");
            check(path + " " + kind.name, kind.keys);
        }
    }
}

TEST_CASE("schema: a value or a table, files to include, and variables") {
    const Json all = schema();
    CHECK(all.at("properties").at("include").at("anyOf").at(0).at("type") == "string");
    CHECK(all.at("properties").at("vars").at("anyOf").at(0).at("type") == "object");
    const Json load = component("Net").at("properties").at("load");
    CHECK(load.at("anyOf").at(0).at("type") == "string");
    const Json& table = load.at("anyOf").at(1).at("anyOf").at(0);
    CHECK(table.at("required") == Json({"from"}));
    CHECK(table.at("properties").at("from").at("type") == "string");
    CHECK(table.at("additionalProperties") == false);
}

}  // namespace schema_test
