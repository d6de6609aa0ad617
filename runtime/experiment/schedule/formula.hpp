// Formulas for a factor of the learning rate, in Python's syntax: numbers, + - * / **, parentheses,
// exp(), log(), sqrt(), sin(), cos(), abs(), floor(), min() and max() of one or more, and the names
//
//     epoch, episode, batch                 as in Position, from 0
//     episodes_per_epoch, total_episodes
//     pi

#pragma once

#include "experiment/schedule/position.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ptp::schedule {

// Returns the error in the text, or in its value in the first episode; nullopt if there is none.
std::optional<std::string> formula_problem(std::string_view text);

// Evaluates the text. Throws RunError (kTrainingError) for a value that is not finite or below 0.
// REQUIRES: the text has no formula_problem().
double factor(std::string_view text, const Position& at);

}  // namespace ptp::schedule
