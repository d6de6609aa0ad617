#include "base/value.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace value_test {

using namespace ptp;

TEST_CASE("value: each type is distinguished") {
    CHECK(Value(true).is_bool());
    CHECK(Value(1).is_integer());
    CHECK(Value(1.0).is_real());
    CHECK(Value("a").is_string());
    CHECK(Value::list({1, 2}).is_list());
    CHECK(Value::table({{"a", 1}}).is_table());
    CHECK(Value().is_table());
    CHECK(type_name(Value(1).type()) == "an integer");
    CHECK(type_name(Value::list({}).type()) == "a list");
}

TEST_CASE("value: an integer can be read as a real, a real not as an integer") {
    CHECK(Value(3).as_real() == 3.0);
    CHECK_THROWS_AS((void)Value(3.0).as_integer(), std::bad_variant_access);
}

TEST_CASE("value: look-ups return nullptr for what is missing") {
    const Value table = Value::table({{"a", Value::table({{"b", 5}})}});
    CHECK(table.find("a")->find("b")->as_integer() == 5);
    CHECK(table.find_path("a.b")->as_integer() == 5);
    CHECK(table.find("c") == nullptr);
    CHECK(table.find_path("a.c") == nullptr);
    CHECK(table.find_path("a.b.c") == nullptr);
    CHECK(Value(1).find("a") == nullptr);
}

TEST_CASE("value: setting a key again keeps its position") {
    Value table = Value::table({{"a", 1}, {"b", 2}});
    table.set("a", 3, SourceLocation("f", 1, 1));
    REQUIRE(table.members().size() == 2);
    CHECK(table.members()[0].key == "a");
    CHECK(table.members()[0].value.as_integer() == 3);
    CHECK(table.members()[0].key_place == SourceLocation("f", 1, 1));
    table.erase("a");
    CHECK(table == Value::table({{"b", 2}}));
}

TEST_CASE("value: equality ignores places and the order of keys, and nothing else") {
    CHECK(Value(1).at(SourceLocation("f", 1, 1)) == Value(1).at(SourceLocation("g", 2, 2)));
    CHECK(Value::table({{"a", 1}, {"b", 2}}) == Value::table({{"b", 2}, {"a", 1}}));
    CHECK_FALSE(Value(1) == Value(1.0));
    CHECK_FALSE(Value(true) == Value(1));
    CHECK_FALSE(Value("1") == Value(1));
    CHECK_FALSE(Value::list({1, 2}) == Value::list({2, 1}));
    CHECK_FALSE(Value::table({{"a", 1}}) == Value::table({{"a", 2}}));
    CHECK_FALSE(Value::table({{"a", 1}}) == Value::table({{"a", 1}, {"b", 1}}));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(Value(nan) == Value(nan));
}

}  // namespace value_test
