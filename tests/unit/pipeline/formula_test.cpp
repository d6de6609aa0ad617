#include "pipeline/expression.hpp"

#include "pipeline/evaluate.hpp"
#include "support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace formula_test {

using namespace ptp;
using namespace ptp::pipeline;
using plugin::Kind;
using test::Make;

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Dimensions width = 32 and depth (not known), an input `inputs` of [B, 3, 32, 16], and two streams
// of `parts`: [B, 5] and [B, 7].
class TestScope : public FormulaScope {
public:
    [[nodiscard]] std::optional<std::int64_t> size(const std::string& name) const override {
        return name == "width" ? std::optional<std::int64_t>(32) : std::nullopt;
    }
    [[nodiscard]] InputSizes input(const std::string& port) const override {
        if (port == "parts") {
            return {true, {Numbers{std::nullopt, 5}, Numbers{std::nullopt, 7}}};
        }
        return {false, {Numbers{std::nullopt, 3, 32, 16}}};
    }
};

plugin::Component component() {
    const plugin::Setting member = test::setting_of(plugin::SettingType::kInteger, "kernel");
    plugin::Setting table = test::setting_of(plugin::SettingType::kTable, "conv");
    table.members = {member};
    plugin::Setting weights = test::setting_of(plugin::SettingType::kReal, "weights");
    weights.list_depth = 1;
    return Make(Kind::kModel, "Net")
        .integer("stride")
        .integers("sizes")
        .flag("is_deep")
        .setting(test::choice_of("mode", {"wide", "narrow", "none"}))
        .setting(table)
        .setting(weights)
        .integer("absent")
        .setting(test::setting_of(plugin::SettingType::kPath, "folder"))
        .in("inputs", "B, depth, width, *")
        .in("parts", "...")
        .named_by("names")
        .strings("names")
        .strings("files");
}

struct Given {
    plugin::Component declared = component();
    std::vector<std::optional<ptp::Value>> values = {
        ptp::Value(2),
        ptp::Value::list({ptp::Value(4), ptp::Value(5), ptp::Value(6)}),
        ptp::Value(true),
        ptp::Value("wide"),
        ptp::Value::table({{"kernel", ptp::Value(3)}}),
        ptp::Value::list({ptp::Value(0.75), ptp::Value(1.5)}),
        std::nullopt,
        ptp::Value("/nowhere"),
        std::nullopt,
        ptp::Value::list({ptp::Value("wiki.train.tokens"), ptp::Value("2 *")})};
    TestScope scope = {};
    Settings settings{declared, values};
};

std::optional<std::int64_t> number(const std::string& text) {
    const Given given;
    return compute_number(parse_formula(text), given.settings, given.scope);
}

std::optional<bool> truth(const std::string& text) {
    const Given given;
    return holds(parse_relation(text), given.settings, given.scope);
}

std::string problem(const std::string& text) {
    return test::error_of<ExpressionError>([&] { static_cast<void>(parse_formula(text)); });
}

std::string failure(const std::string& text) {
    return test::error_of<ComputationError>([&] { static_cast<void>(number(text)); });
}

}  // namespace

TEST_CASE("formula: numbers, sizes and settings are computed as everybody does") {
    const std::map<std::string, std::int64_t> cases = {
        {"28", 28},
        {"2 + 3 * 4", 14},
        {"(2 + 3) * 4", 20},
        {"10 - 3 - 2", 5},
        {"-width + 2", -30},
        {"7 / 2", 3},
        {"-7 / 2", -4},
        {"7 / -2", -4},
        {"-7 % 2", 1},
        {"7 % -2", -1},
        {"width / $stride", 16},
        {"$conv.kernel * 2", 6},
        {"$sizes[0] + $sizes[-1]", 10},
        {"$sizes[1:][0]", 5},
        {"length($sizes)", 3},
        {"length($weights)", 2},
        {"length($files)", 2},  // texts that are no formulas
        {"sum($sizes)", 15},
        {"sum($weights)", 3},  // 2.25, rounded up
        {"product($sizes[1:])", 30},
        {"product($sizes[3:])", 1},
        {"max($sizes, 9, width)", 32},
        {"min($sizes)", 4},
        {"$absent|width|7", 32},
        {"$absent|28 * 2", 56},
        {"rank(inputs)", 4},
        {"inputs[1] * inputs[-1]", 48},
        {"product(inputs[1:])", 1536},
        {"product(inputs[1:-1])", 96},
        {"sum(parts[1])", 12},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        CHECK(number(text) == expected);
    }
}

TEST_CASE("formula: a sum of real numbers is rounded up, but for their last digits") {
    const auto sum = [](std::initializer_list<double> numbers) {
        return ptp::pipeline::sum_of_reals(
            ptp::Value::list(std::vector<ptp::Value>(numbers.begin(), numbers.end())));
    };
    CHECK(sum({0.7, 0.2, 0.1}) == 1);
    CHECK(sum({0.1, 0.1, 0.1, 0.7}) == 1);  // as doubles, 1.0000000000000002 or less
    CHECK(sum({0.7, 0.301}) == 2);
    CHECK(sum({-0.5, -1.0}) == -1);
    CHECK(sum({}) == 0);
    CHECK(sum({1e300}) == std::nullopt);
}

TEST_CASE("formula: windows() counts the places of a kernel, as PyTorch's convolutions do") {
    CHECK(number("windows(28, 5, 1, 0)") == 24);    // Conv2d(5)
    CHECK(number("windows(28, 3, 1, 1)") == 28);    // Conv2d(3, padding=1)
    CHECK(number("windows(7, 3, 2, 0)") == 3);      // Conv2d(3, stride=2)
    CHECK(number("windows(8, 3, 2, 0)") == 3);      // rounded down
    CHECK(number("windows(224, 7, 2, 3)") == 112);  // the first of a ResNet
    CHECK(number("windows(2, 3, 1, 0)") == 0);
    CHECK(number("windows(3, 3, 1, 0)") == 1);
    CHECK(failure("windows(8, 3, 0, 0)") == "5 is divided by 0");
}

TEST_CASE("formula: what depends on something that is not known is not known") {
    for (const char* text :
         {"*", "depth + 1", "$absent", "$absent[0]", "$sizes[3]", "$sizes[-4]", "product(inputs)",
          "inputs[4]", "product($weights)", "0 * depth", "max(1, depth)", "parts[2]", "$mode",
          "if(depth = 3, 1, 2)", "if($mode = 'narrow', 1)", "file_size($folder, 'x')", "$sizes"}) {
        CAPTURE(text);
        CHECK(number(text) == std::nullopt);
    }
}

TEST_CASE("formula: if() chooses by settings and by sizes") {
    CHECK(number("if($mode = 'wide'|'none', 512, 64)") == 512);
    CHECK(number("if($mode != 'wide', 512, 64)") == 64);
    CHECK(number("if($is_deep, 1, 2)") == 1);
    CHECK(number("if(!$is_deep, 1, 2)") == 2);
    CHECK(number("if($absent, 1, 2)") == 2);
    CHECK(number("if($absent, *, if($is_deep, 10, 20) - 8)") == 2);
    CHECK(number("if($is_deep, *, 2)") == std::nullopt);
    CHECK(number("if(width >= 32 and width < 33, 1, 2)") == 1);
    CHECK(number("if(width > 32 or $stride = 2, 1, 2)") == 1);
    CHECK(number("if($mode = 'wide', if($stride = 3, 1, 2), 3)") == 2);
}

TEST_CASE("formula: a relation holds, or not, or nobody knows yet") {
    CHECK(truth("length($weights) = 2") == true);
    CHECK(truth("length($weights) = width") == false);
    CHECK(truth("length($weights) = depth") == std::nullopt);
    CHECK(truth("depth = 1 or width = 32") == true);
    CHECK(truth("depth = 1 and width = 31") == false);
    CHECK(truth("depth = 1 and width = 32") == std::nullopt);
    CHECK(truth("$absent <= 3") == std::nullopt);
    CHECK(truth("inputs[1:] = inputs[1:]") == true);
    CHECK(truth("inputs[0:] = inputs[0:]") == std::nullopt);  // a batch has no known size
    CHECK(truth("inputs[0:3] = inputs[1:]") == false);        // 3 and 32
    CHECK(truth("inputs[1:] = inputs[2:]") == false);         // 3 numbers and 2
    CHECK(truth("inputs[2:] = 32") == std::nullopt);
    CHECK(truth("$stride <= 2 and $stride >= 2 and $stride != 3") == true);
    CHECK(truth("$stride < 2") == false);
    CHECK(truth("$stride > 2") == false);
}

TEST_CASE("formula: numbers beyond 64 bits and divisions by 0 are refused") {
    const std::string largest = std::to_string(kMax);
    CHECK(number(largest) == kMax);
    CHECK(number("-" + largest + " - 1") == std::numeric_limits<std::int64_t>::min());
    CHECK(failure(largest + " + 1") == largest + " + 1 is too large");
    CHECK(failure("-" + largest + " - 2") == "-" + largest + " - 2 is too large");
    CHECK(failure(largest + " * width") == largest + " * 32 is too large");
    CHECK(failure("(-" + largest + " - 1) / -1") == "0 - -9223372036854775808 is too large");
    CHECK(number("(-" + largest + " - 1) % -1") == 0);
    CHECK(failure("width / ($stride - 2)") == "32 is divided by 0");
    CHECK(failure("width % 0") == "32 is divided by 0");
    CHECK(failure("windows(" + largest + ", 1, 1, 1)") == largest + " + 2 is too large");
}

TEST_CASE("formula: what is wrong in a text is said") {
    const std::map<std::string, std::string> cases = {
        {"", "expected a number, a name, '$', '(' or '-' but found the end"},
        {"2 +", "expected a number, a name, '$', '(' or '-' but found the end"},
        {"2 3", "expected an operator or the end but found '3'"},
        {"(2", "expected ')' but found the end"},
        {"$", "expected the name of a setting but found the end"},
        {"$conv.", "expected the name of a member but found the end"},
        {"$sizes[1", "expected ':' but found the end"},
        {"inputs[:", "expected a number, a name, '$', '(' or '-' but found the end"},
        {"rank(2)", "expected the name of an input but found '2)'"},
        {"area(2)", "unknown function 'area'"},
        {"length(1, 2)", "length() has 2 arguments, must have 1"},
        {"windows(1)", "windows() has 1 argument, must have 4"},
        {"if(width, 1)", "expected '=', '!=', '<', '<=', '>' or '>=' but found ', 1)'"},
        {"if($mode = 'wide, 1)", "expected ' at the end of a text but found the end"},
        {"file_size($folder, '/etc/passwd')", "'/etc/passwd' is not a file below a folder"},
        {"if($mode = 'wide'|2, 1)", "expected a text in single quotes but found '2, 1)'"},
        {"file_size($folder, 2)", "expected the name of a file in single quotes but found '2)'"},
        {"file_size($folder, 'a/../b')", "'a/../b' is not a file below a folder"},
        {"99999999999999999999", "99999999999999999999 is too large"},
    };
    for (const auto& [text, expected] : cases) {
        CAPTURE(text);
        CHECK(problem(text) == expected);
    }
}

TEST_CASE("formula: length and depth of a text have limits") {
    CHECK(problem(std::string(2'000 - 1, ' ') + "1") == "");
    CHECK(problem(std::string(2'000, ' ') + "1") == "has 2001 characters, more than 2000");
    const auto nested = [](std::size_t depth, const std::string& open, const std::string& close) {
        std::string text;
        for (std::size_t i = 0; i < depth; ++i) {
            text += open;
        }
        text += "1";
        for (std::size_t i = 0; i < depth; ++i) {
            text += close;
        }
        return text;
    };
    CHECK(problem(nested(15, "(", ")")) == "");
    CHECK(problem(nested(500, "(", ")")) == "is nested deeper than 32");
    CHECK(problem(nested(900, "-", "")) == "is nested deeper than 32");
    CHECK(problem(nested(400, "$a[", "]")) == "is nested deeper than 32");
    CHECK(problem(nested(100, "if($a,", ",1)")) == "is nested deeper than 32");
    std::string wide = "1";
    for (int i = 0; i < 900; ++i) {
        wide += "+1";
    }
    CHECK(number(wide) == 901);
}

}  // namespace formula_test
