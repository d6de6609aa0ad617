#include "schema/json_schema.hpp"

#include <doctest/doctest.h>

namespace json_schema_test {

namespace {

using ptp::Value;
using ptp::schema::Form;
using ptp::schema::Json;
using ptp::schema::JsonScope;
using ptp::schema::Key;

Json schema_of(const Key& key) {
    return ptp::schema::json_schema(key, JsonScope::kWhole);
}

}  // namespace

TEST_CASE("json schema: each form has its own, and all but texts can be variables") {
    const struct {
        Key key;
        const char* schema;
    } cases[] = {
        {{.name = "a", .form = Form::kString}, R"({"type": "string"})"},
        {{.name = "a", .form = Form::kString, .pattern = "cpu|cuda"},
         R"({"anyOf": [{"type": "string", "pattern": "^(cpu|cuda)$"},
                       {"$ref": "#/definitions/variable"}]})"},
        {{.name = "a",
          .form = Form::kInteger,
          .range = "(0, 10]",
          .help = "how many",
          .default_value = Value(3)},
         R"({"anyOf": [{"type": "integer", "exclusiveMinimum": 0, "maximum": 10},
                       {"$ref": "#/definitions/variable"}],
             "description": "how many", "default": 3})"},
        {{.name = "a",
          .form = Form::kString,
          .list_depth = 1,
          .is_unique = true,
          .length = "[1, 2]"},
         R"({"anyOf": [{"type": "array", "items": {"type": "string"}, "uniqueItems": true,
                        "minItems": 1, "maxItems": 2}, {"$ref": "#/definitions/variable"}]})"},
        {{.name = "a", .form = Form::kReals},
         R"({"anyOf": [{"type": ["array", "string"], "items": {"type": "number", "minimum": 0.0}},
                       {"$ref": "#/definitions/variable"}]})"},
        {{.name = "a", .form = Form::kString, .is_map = true},
         R"({"anyOf": [{"type": "object", "additionalProperties": {"type": "string"}},
                       {"$ref": "#/definitions/variable"}]})"},
        {{.name = "a", .form = Form::kAny, .is_map = true},
         R"({"anyOf": [{"type": "object"}, {"$ref": "#/definitions/variable"}]})"},
        {{.name = "a", .form = Form::kTable, .can_be_none = true},
         R"({"anyOf": [{"type": "object"}, {"$ref": "#/definitions/variable"},
                       {"const": "none"}]})"},
        {{.name = "a", .form = Form::kPath, .or_else = {{.name = "a", .form = Form::kTable}}},
         R"({"anyOf": [{"type": "string"},
                       {"anyOf": [{"type": "object"}, {"$ref": "#/definitions/variable"}]}]})"},
    };
    for (const auto& c : cases) {
        CHECK(schema_of(c.key) == Json::parse(c.schema));
    }
}

TEST_CASE("json schema: a duration is a text of numbers with units") {
    const std::string pattern =
        schema_of({.name = "a", .form = Form::kDuration}).at("anyOf").at(0).at("pattern");
    CHECK(pattern == "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$");
}

}  // namespace json_schema_test
