#include "pipeline/expression.hpp"

#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>

namespace expression_test {

using namespace ptp::pipeline;

namespace {

Formula name(const char* text) {
    return {.kind = FormulaKind::kName, .name = text};
}
Formula number(std::int64_t value) {
    return {.kind = FormulaKind::kNumber, .number = value};
}
Formula setting(const char* text) {
    return {.kind = FormulaKind::kSetting, .name = text};
}
Formula item(const char* text, std::int64_t index) {
    return {.kind = FormulaKind::kItem, .operands = {setting(text), number(index)}};
}

std::string problem_of_shape(const char* text) {
    return ptp::test::error_of<ExpressionError>([&] { parse_shape(text); });
}

std::string problem_of_condition(const char* text) {
    return ptp::test::error_of<ExpressionError>([&] { parse_condition(text); });
}

}  // namespace

TEST_CASE("expression: an empty shape is a single number") {
    CHECK(parse_shape("") == ShapeExpression{});
    CHECK(parse_shape("  ") == ShapeExpression{});
}

TEST_CASE("expression: three dots are any shape") {
    CHECK(parse_shape("...") == ShapeExpression{.is_any = true, .dimensions = {}});
}

TEST_CASE("expression: a shape has names, numbers, any sizes and settings") {
    const ShapeExpression expected{
        .is_any = false,
        .dimensions = {{{name("B")}, {}},
                       {{number(28)}, {}},
                       {{Formula{}}, {}},
                       {{setting("size")}, {}},
                       {{item("size", 1), number(32)}, {}},
                       {{name("T")}, Repetition{.setting = "", .number = 2}},
                       {{Formula{}}, Repetition{.setting = "depth", .number = -1}},
                       {{name("U")}, Repetition{.setting = "depth", .number = 1}}}};
    CHECK(parse_shape("B, 28, *, $size, $size[1]|32, T^2, *^$depth-1, U^$depth+1") == expected);
    CHECK(parse_shape("B,28,*,$size,$size[1] | 32,T^2,*^$depth - 1,U ^ $depth + 1") == expected);
}

TEST_CASE("expression: what is wrong in a shape is said") {
    struct Case {
        const char* text;
        const char* problem;
    };
    const Case cases[] = {
        {"B,", "expected a size, a name, '*' or '$' but found the end"},
        {"B 28", "expected ',' but found '28'"},
        {", B", "expected a size, a name, '*' or '$' but found ', B'"},
        {"$", "expected the name of a setting but found the end"},
        {"$size[", "expected an index but found the end"},
        {"$size[0", "expected ']' but found the end"},
        {"T^", "expected a number or '$' after '^' but found the end"},
        {"T^$depth-x", "expected a number after '-' but found 'x'"},
        {"T^$depth+x", "expected a number after '+' but found 'x'"},
        {"(2)^2", "a formula and the dimensions of an input take neither '|' nor '^'"},
        {"B|inputs[1:]", "a formula and the dimensions of an input take neither '|' nor '^'"},
        {"..., B", "'...' must stand alone"},
        {"-1", "expected a size, a name, '*' or '$' but found '-1'"},
        {"99999999999999999999", "99999999999999999999 is too large"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problem_of_shape(c.text) == c.problem);
    }
}

TEST_CASE("expression: a condition is terms that must all hold") {
    const Condition expected{{{.setting = "use_masking", .is_negated = false, .values = {}},
                              {.setting = "reverse", .is_negated = true, .values = {}},
                              {.setting = "mode", .is_negated = false, .values = {"Dense", "Last"}},
                              {.setting = "cell", .is_negated = true, .values = {"None"}}}};
    CHECK(parse_condition("use_masking & !reverse & mode = Dense|Last & cell != None") == expected);
    CHECK(parse_condition("use_masking&!reverse&mode=Dense | Last&cell!=None") == expected);
    CHECK(parse_condition("") == Condition{});
}

TEST_CASE("expression: what is wrong in a condition is said") {
    struct Case {
        const char* text;
        const char* problem;
    };
    const Case cases[] = {
        {"a &", "expected the name of a setting but found the end"},
        {"a b", "expected '=' but found 'b'"},
        {"a =", "expected a value but found the end"},
        {"a = b |", "expected a value but found the end"},
        {"!a = b", "expected '&' but found '= b'"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(problem_of_condition(c.text) == c.problem);
    }
}

TEST_CASE("expression: the value of a global is one dimension, or a formula with its text") {
    CHECK(parse_value("$size[0]|28") == DimensionExpression{{item("size", 0), number(28)}, {}});
    CHECK(parse_value("$size|28 + 1").alternatives.front().text == "$size|28 + 1");
    CHECK_THROWS_WITH_AS(parse_value("T^2"), "expected an operator or the end but found '^2'",
                         ExpressionError);
    CHECK_THROWS_WITH_AS(parse_value("3, 4"), "expected an operator or the end but found ', 4'",
                         ExpressionError);
}

TEST_CASE("expression: one size of an input is a formula, several are dimensions") {
    const ShapeExpression& shape = parse_shape("inputs[:1], inputs[2], (width)");
    CHECK(shape.dimensions[0].alternatives.front().kind == FormulaKind::kSlice);
    CHECK(shape.dimensions[0].alternatives.front().text == "");
    CHECK(shape.dimensions[1].alternatives.front().kind == FormulaKind::kItem);
    CHECK(shape.dimensions[1].alternatives.front().text == "inputs[2]");
    CHECK(shape.dimensions[2].alternatives.front().text == "width");
}

}  // namespace expression_test
