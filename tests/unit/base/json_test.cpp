#include "base/json.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace json_test {

using namespace ptp;
using ptp::Value;

TEST_CASE("json: values come back as they were, to the last bit and type") {
    const Value all = Value::table({{"flag", true},
                                    {"count", std::numeric_limits<std::int64_t>::min()},
                                    {"rate", 0.1},
                                    {"one", 1.0},
                                    {"text", "\"\n\x01 \xC3\xA9"},
                                    {"list", Value::list({1, "a", Value::list({})})},
                                    {"table", Value::table({{"b", 5e-324}})}});
    CHECK(value_of(Json::parse(text_of(json_of(all)))) == all);
    CHECK(text_of(json_of(Value::table({{"b", 1}, {"a", 1.0}}))) == R"({"b":1,"a":1.0})");
}

TEST_CASE("json: lists and objects in each other count as depth, what stands in strings does not") {
    struct Case {
        std::string_view text;
        std::size_t depth;
    };
    const Case cases[] = {{"7", 0},
                          {"[]", 1},
                          {"{\"a\": [1, {\"b\": 2}], \"c\": []}", 3},
                          {"[[], [], []]", 2},
                          {R"(["[[["])", 1},
                          {R"(["\"[[", [0]])", 2}};
    for (const Case& c : cases) {
        CAPTURE(c.text);
        bool is_too_deep = true;
        CHECK(parsed_json(c.text, c.depth, &is_too_deep));
        CHECK_FALSE(is_too_deep);
        if (c.depth > 0) {
            CHECK_FALSE(parsed_json(c.text, c.depth - 1, &is_too_deep));
            CHECK(is_too_deep);
        }
    }
    bool is_too_deep = false;
    CHECK_FALSE(parsed_json(std::string(100'000, '['), 99'999, &is_too_deep));
    CHECK(is_too_deep);
    CHECK_FALSE(parsed_json(std::string(100'000, '['), 100'000, &is_too_deep));
    CHECK_FALSE(is_too_deep);  // it only has no end
}

TEST_CASE("json: what JSON cannot say becomes null, and null nan") {
    CHECK(text_of(json_of(Value(std::nan("")))) == "null");
    CHECK(text_of(json_of(Value(-std::numeric_limits<double>::infinity()))) == "null");
    CHECK(std::isnan(value_of(Json(nullptr)).as_real()));
}

TEST_CASE("json: an integer too large for 64 bits with a sign is a real") {
    CHECK(value_of(Json::parse("9223372036854775807")).is_integer());
    CHECK(value_of(Json::parse("9223372036854775808")).as_real() == 9223372036854775808.0);
}

TEST_CASE("json: a text is parsed as the library does") {
    const char* const text =
        R"({"b":[1,-2,2.5,[],{}],"a":{"z":null,"y":true,"x":"\u00e9"},"big":18446744073709551615})";
    const auto parsed = parsed_json(text);
    REQUIRE(parsed);
    CHECK(*parsed == Json::parse(text));
    CHECK(text_of(*parsed) == text_of(Json::parse(text)));
    CHECK(parsed_json("3") == Json(3));
    for (const char* wrong :
         {"", "{", "[1,]", "{\"a\" 1}", "1 2", "1e999", "\"a", "{1:2}", "nul"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parsed_json(wrong));
    }
}

TEST_CASE("json: of a key that is repeated the last value counts, in the first one's place") {
    const char* const text = R"({"a":1,"b":2,"a":{"c":3},"d":4,"b":5,"a":6,"d":7})";
    const auto parsed = parsed_json(text);
    REQUIRE(parsed);
    CHECK(text_of(*parsed) == R"({"a":6,"b":5,"d":7})");
    CHECK(text_of(Json::parse(text)) == text_of(*parsed));
}

TEST_CASE("json: bytes that are not UTF-8 are replaced") {
    CHECK(text_of(json_of(Value("a\xff"))) == "\"a\xEF\xBF\xBD\"");
}

TEST_CASE("json: nesting has a limit") {
    const auto nested = [](std::size_t depth) {
        return Json::parse(std::string(depth, '[') + std::string(depth, ']'));
    };
    CHECK_NOTHROW(value_of(nested(33)));
    CHECK_THROWS_WITH_AS(value_of(nested(34)), "values lie deeper than 32 levels",
                         std::invalid_argument);
    CHECK_THROWS_AS(value_of(nested(100000)), std::invalid_argument);
}

}  // namespace json_test
