#include "engine/conformance/guess.hpp"

#include <string>
#include <utility>

namespace ptp::engine {

std::vector<Guess> guesses() {
    return {{5, 4}, {8, 4}, {32, 4}, {64, 3}, {224, 4}};
}

std::vector<std::vector<Guess::Constant>> constants_to_try() {
    using enum Guess::Constant;
    return {
        {kNumber},
        {kWords},
        {kNumbersOfWords},
        {kNumber, kWords},
        {kNumber, kNumbersOfWords},
        {kWords, kNumber},
        {kWords, kNumbersOfWords},
        {kNumbersOfWords, kNumber},
        {kNumbersOfWords, kWords},
    };
}

Value constant_of(const Guess& guess, std::size_t n) {
    std::vector<Value> words;
    Value numbers;
    for (std::int64_t i = 0; i < guess.size; ++i) {
        std::string word(1, static_cast<char>('a' + i));
        words.emplace_back(word);
        numbers.set(std::move(word), i);
    }
    switch (guess.constants[n % guess.constants.size()]) {
        case Guess::Constant::kNumber:
            return guess.size;
        case Guess::Constant::kWords:
            return Value::list(std::move(words));
        case Guess::Constant::kNumbersOfWords:
            return numbers;
    }
    return guess.size;
}

}  // namespace ptp::engine
