// Parses formulas and relations. Shapes and conditions are in expression.cpp.

#include "pipeline/expression.hpp"

#include "base/expression_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace ptp::pipeline {

namespace {

struct Function {
    std::string_view name;
    FormulaKind kind;
    std::size_t fewest_arguments;
    std::size_t most_arguments;
};

constexpr std::size_t kAnyCount = 64;
constexpr std::array kFunctions{
    Function{"min", FormulaKind::kMin, 1, kAnyCount},
    Function{"max", FormulaKind::kMax, 1, kAnyCount},
    Function{"sum", FormulaKind::kSum, 1, 1},
    Function{"product", FormulaKind::kProduct, 1, 1},
    Function{"length", FormulaKind::kLength, 1, 1},
    Function{"windows", FormulaKind::kWindows, 4, 4},
};

struct Comparison {
    std::string_view sign;
    FormulaKind kind;
    bool is_swapped;  // the right side comes first
};

// An operator is listed after the longer ones that begin with it.
constexpr std::array kComparisons{
    Comparison{"<=", FormulaKind::kLessOrEqual, false},
    Comparison{"<", FormulaKind::kLess, false},
    Comparison{">=", FormulaKind::kLessOrEqual, true},
    Comparison{">", FormulaKind::kLess, true},
};

Formula of(FormulaKind kind, std::vector<Formula> operands) {
    return {.kind = kind, .operands = std::move(operands)};
}

// The operators of each rank.
constexpr std::array<std::string_view, 1> kOrSign = {"or"};
constexpr std::array<std::string_view, 1> kAndSign = {"and"};
constexpr std::array<std::string_view, 2> kSumSigns = {"+", "-"};
constexpr std::array<std::string_view, 3> kProductSigns = {"*", "/", "%"};

Formula binary(std::string_view sign, Formula left, Formula right) {
    using enum FormulaKind;
    const FormulaKind kind = sign == "or"    ? kOr
                             : sign == "and" ? kAnd
                             : sign == "+"   ? kAdd
                             : sign == "-"   ? kSubtract
                             : sign == "*"   ? kMultiply
                             : sign == "/"   ? kDivide
                                             : kRemainder;
    return of(kind, {std::move(left), std::move(right)});
}

class FormulaReader {
public:
    explicit FormulaReader(ExpressionReader& reader) : reader_(reader) {}

    Formula relation() {
        const ExpressionReader::Depth depth(reader_);
        return reader_.left_to_right(
            kOrSign,
            [this] {
                return reader_.left_to_right(
                    kAndSign, [this] { return test(); }, binary);
            },
            binary);
    }

    Formula sum() {
        const ExpressionReader::Depth depth(reader_);
        const auto product = [this] {
            return reader_.left_to_right(
                kProductSigns, [this] { return factor(); }, binary);
        };
        return reader_.left_to_right(kSumSigns, product, binary);
    }

    // After "[".
    Formula subscript(Formula list) {
        Formula begin = reader_.peek() == ':' ? Formula{} : sum();
        if (reader_.take("]")) {
            return of(FormulaKind::kItem, {std::move(list), std::move(begin)});
        }
        reader_.expect(":");
        Formula end = reader_.peek() == ']' ? Formula{} : sum();
        reader_.expect("]");
        return of(FormulaKind::kSlice, {std::move(list), std::move(begin), std::move(end)});
    }

private:
    Formula test() {
        if (reader_.take("!")) {
            reader_.expect("$");
            return of(FormulaKind::kNot, {of(FormulaKind::kIsSet, {setting()})});
        }
        Formula left = sum();
        const bool is_setting = left.kind == FormulaKind::kSetting;
        if (reader_.take("=")) {
            return equal(std::move(left));
        }
        if (reader_.take("!=")) {
            return of(FormulaKind::kNot, {equal(std::move(left))});
        }
        for (const Comparison& comparison : kComparisons) {
            if (reader_.take(comparison.sign)) {
                Formula right = sum();
                return comparison.is_swapped
                           ? of(comparison.kind, {std::move(right), std::move(left)})
                           : of(comparison.kind, {std::move(left), std::move(right)});
            }
        }
        if (!is_setting) {
            reader_.fail("'=', '!=', '<', '<=', '>' or '>='");
        }
        return of(FormulaKind::kIsSet, {std::move(left)});
    }

    // After "=" or "!=".
    Formula equal(Formula left) {
        if (left.kind != FormulaKind::kSetting || reader_.peek() != '\'') {
            return of(FormulaKind::kEqual, {std::move(left), sum()});
        }
        Formula one_of = of(FormulaKind::kIsOneOf, {std::move(left)});
        do {
            one_of.words.push_back(reader_.quoted("a text in single quotes"));
        } while (reader_.take("|"));
        return one_of;
    }

    Formula factor() {
        const ExpressionReader::Depth depth(reader_);
        if (reader_.take("-")) {
            return of(FormulaKind::kSubtract, {{.kind = FormulaKind::kNumber}, factor()});
        }
        Formula first = primary();
        if (reader_.peek() != '|') {
            return first;
        }
        Formula all = of(FormulaKind::kFirst, {std::move(first)});
        while (reader_.take("|")) {
            all.operands.push_back(primary());
        }
        return all;
    }

    Formula primary() {
        if (reader_.take("(")) {
            Formula inner = sum();
            reader_.expect(")");
            return inner;
        }
        if (reader_.take("*")) {
            return {};
        }
        if (reader_.is_at_number()) {
            return {.kind = FormulaKind::kNumber, .number = reader_.number("a number")};
        }
        if (reader_.take("$")) {
            return subscripts(setting());
        }
        const std::string name = reader_.name("a number, a name, '$', '(' or '-'");
        if (reader_.take("(")) {
            return call(name);
        }
        if (reader_.peek() == '[') {
            return subscripts({.kind = FormulaKind::kPort, .name = name});
        }
        return {.kind = FormulaKind::kName, .name = name};
    }

    Formula subscripts(Formula list) {
        while (reader_.take("[")) {
            list = subscript(std::move(list));
        }
        return list;
    }

    Formula setting() {
        std::string path = reader_.name("the name of a setting");
        while (reader_.take(".")) {
            path += "." + reader_.name("the name of a member");
        }
        return {.kind = FormulaKind::kSetting, .name = std::move(path)};
    }

    // After "(".
    Formula call(const std::string& name) {
        if (name == "if") {
            return conditional();
        }
        if (name == "file_size") {
            return file_size();
        }
        if (name == "rank") {
            Formula port{.kind = FormulaKind::kPort, .name = reader_.name("the name of an input")};
            reader_.expect(")");
            return of(FormulaKind::kLength,
                      {of(FormulaKind::kSlice, {std::move(port), Formula{}, Formula{}})});
        }
        const auto* const function = std::ranges::find(kFunctions, name, &Function::name);
        if (function == kFunctions.end()) {
            throw ExpressionError(fmt::format("unknown function '{}'", name));
        }
        Formula made = of(function->kind, {});
        do {
            made.operands.push_back(sum());
        } while (reader_.take(","));
        reader_.expect(")");
        const std::size_t count = made.operands.size();
        if (count < function->fewest_arguments || count > function->most_arguments) {
            throw ExpressionError(fmt::format("{}() has {} argument{}, must have {}", name, count,
                                              count == 1 ? "" : "s",
                                              function->most_arguments == kAnyCount
                                                  ? fmt::format("1 to {}", kAnyCount)
                                                  : fmt::format("{}", function->fewest_arguments)));
        }
        return made;
    }

    Formula conditional() {
        Formula made = of(FormulaKind::kIf, {relation()});
        reader_.expect(",");
        made.operands.push_back(sum());
        if (reader_.take(",")) {
            made.operands.push_back(sum());
        }
        reader_.expect(")");
        return made;
    }

    Formula file_size() {
        reader_.expect("$");
        Formula made = of(FormulaKind::kFileSize, {setting()});
        reader_.expect(",");
        made.words.push_back(reader_.quoted("the name of a file in single quotes"));
        reader_.expect(")");
        const std::string& file = made.words.front();
        if (file.empty() || file.starts_with('/') || file.find("..") != std::string::npos) {
            throw ExpressionError(fmt::format("'{}' is not a file below a folder", file));
        }
        return made;
    }

    ExpressionReader& reader_;
};

}  // namespace

Formula read_formula(ExpressionReader& reader) {
    return FormulaReader(reader).sum();
}

Formula read_slice(ExpressionReader& reader, std::string port) {
    reader.expect("[");
    return FormulaReader(reader).subscript({.kind = FormulaKind::kPort, .name = std::move(port)});
}

Formula parse_formula(std::string_view text) {
    ExpressionReader reader(text);
    Formula formula = FormulaReader(reader).sum();
    if (!reader.is_at_end()) {
        reader.fail("an operator or the end");
    }
    return formula;
}

Formula parse_relation(std::string_view text) {
    ExpressionReader reader(text);
    Formula relation = FormulaReader(reader).relation();
    if (!reader.is_at_end()) {
        reader.fail("'and', 'or' or the end");
    }
    return relation;
}

}  // namespace ptp::pipeline
