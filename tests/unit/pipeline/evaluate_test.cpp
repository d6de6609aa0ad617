#include "pipeline/evaluate.hpp"

#include "support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

namespace evaluate_test {

using namespace ptp;
using namespace ptp::pipeline;
using ptp::Value;

namespace {

using Values = std::vector<std::optional<Value>>;

// Settings: depth 3, kernel [5, -1], size absent, mode "Last", deep true, flat false.
struct Fixture {
    plugin::Component component = test::Make(plugin::Kind::kModel, "Net")
                                      .integer("depth")
                                      .integers("kernel")
                                      .integers("size")
                                      .strings("mode")
                                      .flag("deep")
                                      .flag("flat");
    Values values = {Value(3),      Value::list({5, -1}), std::nullopt,
                     Value("Last"), Value(true),          Value(false)};
    Settings settings{component, values};
};

std::string expanded(const Fixture& fixture, const char* shape) {
    const auto dimensions = expand(parse_shape(shape), fixture.settings);
    if (!dimensions) {
        return "...";
    }
    std::vector<std::string> parts;
    for (const PlainDimension& one : *dimensions) {
        const std::string text = one.number ? fmt::format("{}", *one.number) : "*";
        parts.push_back(one.name.empty() ? text : one.name);
    }
    return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

TEST_CASE("evaluate: settings are worked into a shape") {
    const Fixture fixture;
    struct Case {
        const char* shape;
        const char* result;
    };
    const Case cases[] = {
        {"...", "..."},
        {"", ""},
        {"B, 28, *", "B,28,*"},
        {"$depth", "3"},
        {"B, $kernel", "B,5,*"},
        {"$kernel[0], $kernel[1]", "5,*"},
        {"$kernel[2]|7", "7"},
        {"$size|28", "28"},
        {"$size[0]|$depth|28", "3"},
        {"$size", "*"},
        {"T^2", "T.1,T.2"},
        {"T^$depth", "T.1,T.2,T.3"},
        {"*^$depth-1", "*,*"},
        {"8^$depth+1", "8,8,8,8"},
        {"B, T^$depth-5", "B"},
        {"$kernel^2", "5,*,5,*"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.shape);
        CHECK(expanded(fixture, c.shape) == c.result);
    }
}

TEST_CASE("evaluate: a number knows the setting that could change it") {
    const Fixture fixture;
    const auto dimensions = expand(parse_shape("$kernel[0], $size[1]|28, 28"), fixture.settings);
    const std::vector<PlainDimension> expected = {
        {.number = 5, .is_from_setting = true, .setting = "kernel", .index = 0},
        {.number = 28, .is_from_setting = false, .setting = "size", .index = 1},
        {.number = 28}};
    CHECK(dimensions == expected);
}

TEST_CASE("evaluate: a repetition never grows beyond what tensors have") {
    Fixture fixture;
    fixture.values[0].emplace(1'000'000'000);
    CHECK(expand(parse_shape("T^$depth"), fixture.settings)->size() == 64);
}

TEST_CASE("evaluate: a condition asks for truth, presence or certain values") {
    const Fixture fixture;
    struct Case {
        const char* when;
        bool holds;
    };
    const Case cases[] = {
        {"", true},
        {"deep", true},
        {"flat", false},
        {"!flat", true},
        {"depth", true},
        {"size", false},
        {"!size", true},
        {"mode = Dense|Last", true},
        {"mode = Dense", false},
        {"mode != None", true},
        {"size = 3", false},
        {"size != 3", true},
        {"depth = 3", true},
        {"deep = true & !flat & mode = Last", true},
        {"deep & flat", false},
    };
    for (const Case& c : cases) {
        CAPTURE(c.when);
        CHECK(holds(parse_condition(c.when), fixture.settings) == c.holds);
    }
}

TEST_CASE("evaluate: a condition is reported in words") {
    CHECK(condition_text(parse_condition("use_masking & !reverse & mode = A|B & cell != C")) ==
          "with use_masking and without reverse and with mode = A or B and with cell != C");
}

}  // namespace evaluate_test
