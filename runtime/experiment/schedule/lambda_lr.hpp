// LambdaLR: the optimizer's rate times a formula of the position.
//
// Formulas for a factor of the learning rate, in Python's syntax: numbers, + - * / **, parentheses,
// exp(), log(), sqrt(), sin(), cos(), abs(), floor(), min() and max() of one or more, and the names
//
//     epoch, episode, batch                 as in Position, from 0
//     episodes_per_epoch, total_episodes
//     pi

#pragma once

#include "experiment/schedule/parts.hpp"
#include "schema/one_of.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::schedule {

// Returns the error in the text, or in its value in the first episode; nullopt if there is none.
std::optional<std::string> formula_problem(std::string_view text);

// Evaluates the text. Throws RunError (kTrainingError) for a value that is not finite or below 0.
// REQUIRES: the text has no formula_problem().
double factor(std::string_view text, const Position& at);

struct LambdaLr {
    static constexpr std::string_view kName = "LambdaLR";
    static constexpr std::string_view kHelp = "the rate times a formula, such as \"0.95 ** epoch\"";
    static constexpr std::string_view kExample =
        R"({ type = "LambdaLR", lr_lambda = "0.95 ** epoch" })";
    static constexpr std::array<std::string_view, 1> kOtherNames = {"lambda"};

    std::string lr_lambda;

    template <class Field = schema::Field>
    std::vector<Field> fields() {
        return {{.name = "lr_lambda",
                 .into = &lr_lambda,
                 .help = "factor of the learning rate, a formula of epoch and episode",
                 .is_filled = true,
                 .is_required = true}};
    }

    [[nodiscard]] std::optional<schema::KeyProblem> problem() const {
        if (const auto problem = formula_problem(lr_lambda); problem) {
            return {{"lr_lambda", *problem}};
        }
        return std::nullopt;
    }

    // Throws RunError if the formula has no value, or one below 0.
    [[nodiscard]] double rate(double base, const Position& at) const {
        return base * factor(lr_lambda, at);
    }
};

}  // namespace ptp::schedule
