// Parses shapes, values of globals and conditions. The formulas in them are in formula.cpp.
#include "pipeline/expression.hpp"

#include "base/expression_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace ptp::pipeline {

namespace {

Atom read_atom(ExpressionReader& reader) {
    if (reader.take("*")) {
        return {};
    }
    if (reader.take("$")) {
        Atom atom{.kind = Atom::Kind::kSetting, .name = reader.name("the name of a setting")};
        if (reader.take("[")) {
            atom.index = static_cast<std::size_t>(reader.number("an index"));
            reader.expect("]");
        }
        return atom;
    }
    if (reader.is_at_number()) {
        return {.kind = Atom::Kind::kNumber, .number = reader.number("a size")};
    }
    if (reader.take("(")) {
        Atom atom{.kind = Atom::Kind::kFormula};
        const std::size_t begin = reader.position();
        atom.formula = read_formula(reader);
        atom.formula->text = reader.text_since(begin);
        reader.expect(")");
        return atom;
    }
    Atom atom{.kind = Atom::Kind::kName, .name = reader.name("a size, a name, '*' or '$'")};
    if (reader.peek() == '[') {
        atom.kind = Atom::Kind::kSlice;
        atom.formula = read_slice(reader, std::move(atom.name));
        atom.name.clear();
    }
    return atom;
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
        dimension.alternatives.push_back(read_atom(reader));
    } while (reader.take("|"));
    const bool is_computed = std::ranges::any_of(
        dimension.alternatives, [](const Atom& atom) { return atom.formula.has_value(); });
    if (reader.take("^")) {
        dimension.repetition = read_repetition(reader);
    }
    const bool is_single = dimension.alternatives.size() == 1 && !dimension.repetition;
    if (is_computed && !is_single) {
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

}  // namespace

DimensionExpression parse_dimension(std::string_view text) {
    ExpressionReader reader(text);
    DimensionExpression dimension = read_dimension(reader);
    const bool is_single = std::ranges::none_of(
        dimension.alternatives, [](const Atom& atom) { return atom.formula.has_value(); });
    if (dimension.repetition || !is_single) {
        throw ExpressionError("'^' has no meaning here");
    }
    if (!reader.is_at_end()) {
        reader.fail("the end");
    }
    return dimension;
}

namespace {

// The texts are those of the plugins' declarations, of which there are few: an experiment with a
// thousand components of a type would parse each a thousand times.
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

ValueExpression value_read_from(std::string_view text) {
    try {
        return {.dimension = parse_dimension(text), .formula = std::nullopt};
    } catch (const ExpressionError&) {
        Formula formula = parse_formula(text);
        formula.text = text;
        return {.dimension = std::nullopt, .formula = std::move(formula)};
    }
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

const ValueExpression& parse_value(std::string_view text) {
    return parsed_once(text, value_read_from);
}

const Condition& parse_condition(std::string_view text) {
    return parsed_once(text, condition_read_from);
}

}  // namespace ptp::pipeline
