// Evaluates the formula of LambdaLR while parsing it.

#include "experiment/schedule/lambda_lr.hpp"

#include "base/error.hpp"
#include "base/expression_reader.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace ptp::schedule {

namespace {

struct Name {
    std::string_view name;
    double (*value)(const Position& at);
};

constexpr std::array kPositionNames{
    Name{"epoch", [](const Position& at) { return static_cast<double>(at.epoch); }},
    Name{"episode", [](const Position& at) { return static_cast<double>(at.episode); }},
    Name{"batch", [](const Position& at) { return static_cast<double>(at.batch); }},
    Name{"episodes_per_epoch", [](const Position& at) { return at.episodes_per_epoch; }},
    Name{"total_episodes", [](const Position& at) { return at.total_episodes; }},
    Name{"pi", [](const Position&) { return std::numbers::pi; }},
};

using Arguments = std::vector<double>;

struct Function {
    std::string_view name;
    double (*value)(const Arguments& arguments);
    bool takes_many = false;
};

constexpr std::array kFunctions{
    Function{"exp", [](const Arguments& a) { return std::exp(a[0]); }},
    Function{"log", [](const Arguments& a) { return std::log(a[0]); }},
    Function{"sqrt", [](const Arguments& a) { return std::sqrt(a[0]); }},
    Function{"sin", [](const Arguments& a) { return std::sin(a[0]); }},
    Function{"cos", [](const Arguments& a) { return std::cos(a[0]); }},
    Function{"abs", [](const Arguments& a) { return std::abs(a[0]); }},
    Function{"floor", [](const Arguments& a) { return std::floor(a[0]); }},
    Function{"min", [](const Arguments& a) { return *std::ranges::min_element(a); }, true},
    Function{"max", [](const Arguments& a) { return *std::ranges::max_element(a); }, true},
};

template <class Table>
const auto& named(const Table& table, const std::string& name, std::string_view what) {
    const auto found = std::ranges::find(table, name, [](const auto& one) { return one.name; });
    if (found == table.end()) {
        const std::vector<std::string> known =
            transformed<std::string>(table, [](const auto& one) { return one.name; });
        throw ExpressionError(fmt::format("unknown {} '{}'{}", what, name, hint(name, known)));
    }
    return *found;
}

constexpr std::array<std::string_view, 2> kSumSigns = {"+", "-"};
constexpr std::array<std::string_view, 2> kProductSigns = {"*", "/"};

// Evaluates a formula while parsing it.
class Calculation {
public:
    Calculation(std::string_view text, const Position& at) : reader_(text), at_(at) {}

    double value() {
        const double result = sum();
        if (!reader_.is_at_end()) {
            reader_.fail("an operator or the end");
        }
        return result;
    }

private:
    double sum() {
        const ExpressionReader::Depth depth(reader_);
        return reader_.left_to_right(
            kSumSigns, [this] { return product(); },
            [](std::string_view sign, double left, double right) {
                return sign == "+" ? left + right : left - right;
            });
    }

    double product() {
        return reader_.left_to_right(
            kProductSigns, [this] { return signed_power(); },
            [](std::string_view sign, double left, double right) {
                return sign == "*" ? left * right : left / right;
            });
    }

    // Reads -2 ** 2 as -4, and 2 ** -1 as 0.5.
    double signed_power() {
        const ExpressionReader::Depth depth(reader_);
        if (reader_.take("-")) {
            return -signed_power();
        }
        const double base = operand();
        return reader_.take("**") ? std::pow(base, signed_power()) : base;
    }

    double operand() {
        if (reader_.take("(")) {
            const double inner = sum();
            reader_.expect(")");
            return inner;
        }
        if (reader_.is_at_number()) {
            return reader_.real("a number");
        }
        const std::string name = reader_.name("a number, a name, '(' or '-'");
        return reader_.take("(") ? call(name) : named(kPositionNames, name, "name").value(at_);
    }

    // Reads the arguments after "(".
    double call(const std::string& name) {
        const Function& function = named(kFunctions, name, "function");
        Arguments arguments;
        do {
            arguments.push_back(sum());
        } while (reader_.take(","));
        reader_.expect(")");
        if (arguments.size() > 1 && !function.takes_many) {
            throw ExpressionError(
                fmt::format("{}() has {} arguments, must have 1", name, arguments.size()));
        }
        return function.value(arguments);
    }

    ExpressionReader reader_;
    const Position& at_;
};

bool is_factor(double value) {
    return std::isfinite(value) && value >= 0;
}

std::string value_text(double value) {
    return std::isnan(value) ? "not a number" : fmt::format("{}", value);
}

}  // namespace

std::optional<std::string> formula_problem(std::string_view text) {
    try {
        const double first = Calculation(text, {.total_episodes = 1}).value();
        if (!is_factor(first)) {
            return fmt::format("is {} in the first episode, must be finite and at least 0",
                               value_text(first));
        }
        return std::nullopt;
    } catch (const ExpressionError& error) {
        return error.what();
    }
}

double factor(std::string_view text, const Position& at) {
    assert(!formula_problem(text));
    const double value = Calculation(text, at).value();
    if (!is_factor(value)) {
        throw RunError(kTrainingError,
                       fmt::format("training.scheduler.lr_lambda = \"{}\": is {} in episode {} "
                                   "(epoch {}), must be finite and at least 0",
                                   text, value_text(value), at.episode, at.epoch + 1));
    }
    return value;
}

}  // namespace ptp::schedule
