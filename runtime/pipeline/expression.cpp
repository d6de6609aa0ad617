// Parses shapes, values of globals, conditions and meanings. The formulas are in formula.cpp.

#include "pipeline/expression.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace ptp::pipeline {

namespace {

// Returns whether a dimension follows from others: it has a text, or is a slice.
bool is_computed(const Formula& alternative) {
    return !alternative.text.empty() || alternative.kind == FormulaKind::kSlice;
}

Formula read_alternative(ExpressionReader& reader) {
    if (reader.take("*")) {
        return {};
    }
    if (reader.take("$")) {
        Formula setting{.kind = FormulaKind::kSetting,
                        .name = reader.name("the name of a setting")};
        if (!reader.take("[")) {
            return setting;
        }
        Formula index;  // none: the place of the stream
        if (reader.peek() != ']') {
            index = {.kind = FormulaKind::kNumber, .number = reader.number("an index")};
        }
        reader.expect("]");
        return {.kind = FormulaKind::kItem, .operands = {std::move(setting), std::move(index)}};
    }
    if (reader.is_at_number()) {
        return {.kind = FormulaKind::kNumber, .number = reader.number("a size")};
    }
    const std::size_t begin = reader.position();
    if (reader.take("(")) {
        const std::size_t inside = reader.position();
        Formula formula = read_formula(reader);
        formula.text = reader.text_since(inside);
        reader.expect(")");
        return formula;
    }
    std::string name = reader.name("a size, a name, '*' or '$'");
    if (reader.peek() != '[') {
        return {.kind = FormulaKind::kName, .name = std::move(name)};
    }
    Formula part = read_slice(reader, std::move(name));
    if (part.kind == FormulaKind::kItem) {
        part.text = reader.text_since(begin);
    }
    return part;
}

Repetition read_repetition(ExpressionReader& reader) {
    if (!reader.take("$")) {
        return {.number = reader.number("a number or '$' after '^'")};
    }
    Repetition repetition{.setting = reader.name("the name of a setting")};
    if (reader.take("+")) {
        repetition.number = reader.number("a number after '+'");
    } else if (reader.take("-")) {
        repetition.number = -reader.number("a number after '-'");
    }
    return repetition;
}

DimensionExpression read_dimension(ExpressionReader& reader) {
    DimensionExpression dimension;
    do {
        dimension.alternatives.push_back(read_alternative(reader));
    } while (reader.take("|"));
    if (reader.take("^")) {
        dimension.repetition = read_repetition(reader);
    }
    const bool is_single = dimension.alternatives.size() == 1 && !dimension.repetition;
    if (!is_single && std::ranges::any_of(dimension.alternatives, is_computed)) {
        throw ExpressionError("a formula and the dimensions of an input take neither '|' nor '^'");
    }
    return dimension;
}

Term read_term(ExpressionReader& reader) {
    Term term;
    term.is_negated = reader.take("!");
    term.setting = reader.name("the name of a setting");
    if (term.is_negated || reader.is_at_end() || reader.peek() == '&') {
        return term;
    }
    term.is_negated = reader.take("!");
    reader.expect("=");
    do {
        term.values.push_back(reader.word());
    } while (reader.take("|"));
    return term;
}

// The texts are the few of the plugins' declarations: an experiment with a thousand components of a
// type would parse each a thousand times.
template <class Parsed>
const Parsed& parsed_once(std::string_view text, Parsed (*parse)(std::string_view)) {
    thread_local std::map<std::string, Parsed, std::less<>> known;
    const auto found = known.find(text);
    return found != known.end() ? found->second
                                : known.emplace(std::string(text), parse(text)).first->second;
}

ShapeExpression shape_read_from(std::string_view text) {
    ExpressionReader reader(text);
    ShapeExpression shape;
    if (reader.is_at_end()) {
        return shape;
    }
    if (reader.take("...")) {
        if (!reader.is_at_end()) {
            throw ExpressionError("'...' must stand alone");
        }
        shape.is_any = true;
        return shape;
    }
    do {
        shape.dimensions.push_back(read_dimension(reader));
    } while (reader.take(","));
    if (!reader.is_at_end()) {
        reader.fail("','");
    }
    return shape;
}

DimensionExpression value_read_from(std::string_view text) {
    try {
        ExpressionReader reader(text);
        DimensionExpression value = read_dimension(reader);
        if (reader.is_at_end() && !value.repetition && !is_computed(value.alternatives.front())) {
            return value;
        }
    } catch (const ExpressionError&) {  // it may be a formula
    }
    Formula formula = parse_formula(text);
    formula.text = text;
    return {.alternatives = {std::move(formula)}, .repetition = std::nullopt};
}

Condition condition_read_from(std::string_view text) {
    ExpressionReader reader(text);
    Condition condition;
    if (reader.is_at_end()) {
        return condition;
    }
    do {
        condition.terms.push_back(read_term(reader));
    } while (reader.take("&"));
    if (!reader.is_at_end()) {
        reader.fail("'&'");
    }
    return condition;
}

}  // namespace

const ShapeExpression& parse_shape(std::string_view text) {
    return parsed_once(text, shape_read_from);
}

const DimensionExpression& parse_value(std::string_view text) {
    return parsed_once(text, value_read_from);
}

const Condition& parse_condition(std::string_view text) {
    return parsed_once(text, condition_read_from);
}

namespace {

// Returns the trimmed parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = std::min(text.find(separator), text.size());
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == text.size()) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

}  // namespace

std::vector<MeaningClause> parse_meaning(std::string_view text) {
    std::vector<MeaningClause> clauses;
    if (text.empty()) {
        return clauses;
    }
    constexpr std::string_view kIf = " if ";
    for (const std::string_view part : split(text, ';')) {
        MeaningClause& clause = clauses.emplace_back();
        const auto place = part.find(kIf);
        for (const std::string_view word : split(part.substr(0, place), '|')) {
            if (!is_snake_case(word)) {
                throw ExpressionError(fmt::format("expected a meaning, not '{}'", word));
            }
            clause.words.emplace_back(word);
        }
        if (place != std::string_view::npos) {
            clause.condition = parse_condition(part.substr(place + kIf.size()));
        }
    }
    return clauses;
}

}  // namespace ptp::pipeline
