// Formulas of a factor of the learning rate; their values are Python's.

#include "experiment/schedule/lambda_lr.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>

#include <string>

namespace formula_test {

using ptp::schedule::factor;
using ptp::schedule::formula_problem;
using ptp::schedule::Position;

TEST_CASE("formula: operators bind as in Python") {
    struct Case {
        const char* text;
        double value;
    };
    const Case cases[] = {
        {"1 + 2 * 3", 7},
        {"8 / 2 / 2", 2},
        {"9 - 2 - 3", 4},
        {"2 ** 3 ** 2", 512},
        {"5 - 2 ** 2", 1},
        {"-2 ** 2 + 5", 1},
        {"2 ** -1", 0.5},
        {"(1 + 2) * 3", 9},
        {"--3", 3},
        {" 1.5e-1 ", 0.15},
        {"max(1, 4, 2) - min(3, 2)", 2},
        {"sqrt(16) + floor(2.9) + abs(-3)", 9},
        {"exp(0) + log(1) + cos(0) + sin(0)", 2},
        {"2 * pi", 2 * 3.141592653589793},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(factor(c.text, {}) == c.value);
    }
}

TEST_CASE("formula: names stand for the position") {
    const Position at{
        .episode = 11, .epoch = 2, .batch = 3, .episodes_per_epoch = 4, .total_episodes = 40};
    CHECK(factor("epoch", at) == 2);
    CHECK(factor("episode", at) == 11);
    CHECK(factor("batch", at) == 3);
    CHECK(factor("episodes_per_epoch", at) == 4);
    CHECK(factor("1 - episode / total_episodes", at) == 1 - 11.0 / 40);
}

TEST_CASE("formula: a mistake in the text is named") {
    struct Case {
        const char* text;
        const char* problem;
    };
    const Case cases[] = {
        {"", "expected a number, a name, '(' or '-' but found the end"},
        {"1 +", "expected a number, a name, '(' or '-' but found the end"},
        {"1 1", "expected an operator or the end but found '1'"},
        {"(1", "expected ')' but found the end"},
        {"2 ^ 3", "expected an operator or the end but found '^ 3'"},
        {"0.95 ** epch", "unknown name 'epch'; did you mean 'epoch'?"},
        {"x",
         "unknown name 'x'; known: epoch, episode, batch, episodes_per_epoch, total_episodes, pi"},
        {"tanh(1)",
         "unknown function 'tanh'; known: exp, log, sqrt, sin, cos, abs, floor, min, max"},
        {"exp(1, 2)", "exp() has 2 arguments, must have 1"},
        {"exp()", "expected a number, a name, '(' or '-' but found ')'"},
        {"1e999", "1e999 is out of range"},
        {"1 / epoch", "is inf in the first episode, must be finite and at least 0"},
        {"epoch - 1", "is -1 in the first episode, must be finite and at least 0"},
        {"log(0 - 1)", "is not a number in the first episode, must be finite and at least 0"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(formula_problem(c.text).value_or("") == c.problem);
    }
    CHECK_FALSE(formula_problem("0.95 ** epoch"));
    CHECK(formula_problem(std::string(40, '(')).has_value());
    CHECK(formula_problem(std::string(3000, '1')).has_value());
}

TEST_CASE("formula: a value that is wrong later ends the training with its place") {
    CHECK(factor("3 - epoch", {.epoch = 3}) == 0);
    CHECK_THROWS_WITH_AS(factor("3 - epoch", {.episode = 17, .epoch = 4}),
                         "training.scheduler.lr_lambda = \"3 - epoch\": is -1 in episode 17 (epoch "
                         "5), must be finite and at least 0",
                         ptp::RunError);
}

}  // namespace formula_test
