#include "base/toml_writer.hpp"

#include "base/toml_reader.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>

namespace toml_writer_test {

using namespace ptp;

namespace {

Value reread(const Value& value) {
    Diagnostics problems;
    const auto result = read_toml(to_toml(value), "written.toml", problems);
    REQUIRE_MESSAGE(result, problems.text() << "\n" << to_toml(value));
    return *result;
}

}  // namespace

TEST_CASE("write: scalars are written so that they keep their type") {
    struct Case {
        Value value;
        const char* text;
    };
    const Case cases[] = {
        {true, "true"},
        {-3, "-3"},
        {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
        {1.0, "1.0"},
        {0.1, "0.1"},
        {1e-5, "1e-05"},
        {1e20, "1e+20"},
        {-0.0, "-0.0"},
        {std::numeric_limits<double>::infinity(), "inf"},
        {-std::numeric_limits<double>::infinity(), "-inf"},
        {"a \"b\" \\ \n\t\r \x01\x7f \u00e9", R"("a \"b\" \\ \n\t\r \u0001\u007F é")"},
        {Value::list({1, "a"}), "[1, \"a\"]"},
        {Value::list({}), "[]"},
        {Value::table({{"a b", 1}, {"c", 2}}), "{ \"a b\" = 1, c = 2 }"},
        {Value(), "{}"},
    };
    for (const Case& c : cases) {
        CHECK(inline_toml(c.value) == c.text);
        CHECK(reread(Value::table({{"x", c.value}})) == Value::table({{"x", c.value}}));
    }
}

TEST_CASE("write: a document has tables under headers and flat inner ones on one line") {
    const Value root = Value::table(
        {{"training",
          Value::table(
              {{"task", Value::table({{"type", "MNIST"}, {"streams", Value::table({{"a", "b"}})}})},
               {"clip", 0.5}})},
         {"seed", 1},
         {"empty", Value()},
         {"rows", Value::list({Value::table({{"a", 1}}), Value::table({{"a", 2}})})}});
    CHECK(to_toml(root) == R"(seed = 1

[training]
clip = 0.5

[training.task]
type = "MNIST"
streams = { a = "b" }

[empty]

[[rows]]
a = 1

[[rows]]
a = 2
)");
    CHECK(reread(root) == root);
}

TEST_CASE("write: odd trees come back as they were") {
    const Value table = Value::table({{"", 1}, {"a.b", Value::table({{"'", "\""}})}});
    const Value trees[] = {
        table,
        Value::table({{"l", Value::list({Value::list({table, 1}), table})}}),
        Value::table({{"l", Value::list({table, Value::table({{"m", Value::list({table})}})})}}),
        Value::table(
            {{"a", Value::table({{"b", Value::table({{"c", Value::table({{"d", table}})}})}})}}),
        Value::table(
            {{"long",
              Value::table(
                  {{"x", Value::table({{"y", Value::table({{"z", std::string(100, 'z')}})}})}})}}),
        Value::table({{"nan", std::nan("")}}),
    };
    for (const Value& tree : trees) {
        CAPTURE(to_toml(tree));
        CHECK(reread(tree) == tree);
        CHECK(to_toml(reread(tree)) == to_toml(tree));
    }
}

TEST_CASE("write: every real comes back to the last bit") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const auto bits = random();
        double value = 0;
        static_assert(sizeof(bits) == sizeof(value));
        std::memcpy(&value, &bits, sizeof(value));
        if (std::isnan(value)) {
            continue;
        }
        CAPTURE(value);
        CHECK(reread(Value::table({{"x", value}})).find("x")->as_real() == value);
    }
}

}  // namespace toml_writer_test
