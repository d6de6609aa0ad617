#include "pipeline/expression.hpp"

#include <fmt/core.h>

#include <cctype>
#include <charconv>

namespace ptp::pipeline {

namespace {

bool begins_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Reads a text from left to right; blanks between its parts do not count.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    bool is_at_end() {
        skip_blanks();
        return position_ == text_.size();
    }

    // The next character, '\0' at the end.
    char peek() { return is_at_end() ? '\0' : text_[position_]; }

    bool take(std::string_view what) {
        skip_blanks();
        if (text_.substr(position_, what.size()) != what)
            return false;
        position_ += what.size();
        return true;
    }

    void expect(std::string_view what) {
        if (!take(what))
            fail(fmt::format("'{}'", what));
    }

    std::string name(std::string_view what) {
        if (!begins_name(peek()))
            fail(what);
        return std::string(taken_while([](char c) { return begins_name(c) || is_digit(c); }));
    }

    std::int64_t number(std::string_view what) {
        if (!is_digit(peek()))
            fail(what);
        const std::string_view digits = taken_while(is_digit);
        std::int64_t value = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc())
            throw ExpressionError(fmt::format("{} is too large", digits));
        return value;
    }

    // The text of a value to compare with: up to a blank, '|' or '&'.
    std::string word() {
        const auto is_part = [](char c) { return c != ' ' && c != '|' && c != '&'; };
        const std::string_view taken = is_at_end() ? "" : taken_while(is_part);
        if (taken.empty())
            fail("a value");
        return std::string(taken);
    }

    [[noreturn]] void fail(std::string_view expected) {
        const std::string found =
            is_at_end() ? "the end" : fmt::format("'{}'", text_.substr(position_));
        throw ExpressionError(fmt::format("expected {} but found {}", expected, found));
    }

private:
    void skip_blanks() {
        while (position_ < text_.size() && text_[position_] == ' ')
            ++position_;
    }

    template <typename Predicate>
    std::string_view taken_while(Predicate is_part) {
        const std::size_t begin = position_;
        while (position_ < text_.size() && is_part(text_[position_]))
            ++position_;
        return text_.substr(begin, position_ - begin);
    }

    std::string_view text_;
    std::size_t position_ = 0;
};

Atom read_atom(Reader& reader) {
    if (reader.take("*"))
        return {};
    if (reader.take("$")) {
        Atom atom{.kind = Atom::Kind::setting, .name = reader.name("the name of a setting")};
        if (reader.take("[")) {
            atom.index = static_cast<std::size_t>(reader.number("an index"));
            reader.expect("]");
        }
        return atom;
    }
    if (is_digit(reader.peek())) {
        return {.kind = Atom::Kind::number, .number = reader.number("a size")};
    }
    return {.kind = Atom::Kind::name, .name = reader.name("a size, a name, '*' or '$'")};
}

Repetition read_repetition(Reader& reader) {
    if (!reader.take("$"))
        return {.number = reader.number("a number or '$' after '^'")};
    Repetition repetition{.setting = reader.name("the name of a setting")};
    if (reader.take("+")) {
        repetition.number = reader.number("a number after '+'");
    } else if (reader.take("-")) {
        repetition.number = -reader.number("a number after '-'");
    }
    return repetition;
}

DimensionExpression read_dimension(Reader& reader) {
    DimensionExpression dimension;
    do {
        dimension.alternatives.push_back(read_atom(reader));
    } while (reader.take("|"));
    if (reader.take("^"))
        dimension.repetition = read_repetition(reader);
    return dimension;
}

Term read_term(Reader& reader) {
    Term term;
    term.is_negated = reader.take("!");
    term.setting = reader.name("the name of a setting");
    if (term.is_negated || reader.is_at_end() || reader.peek() == '&')
        return term;
    term.is_negated = reader.take("!");
    reader.expect("=");
    do {
        term.values.push_back(reader.word());
    } while (reader.take("|"));
    return term;
}

}  // namespace

ShapeExpression parse_shape(std::string_view text) {
    Reader reader(text);
    ShapeExpression shape;
    if (reader.is_at_end())
        return shape;
    if (reader.take("...")) {
        if (!reader.is_at_end())
            throw ExpressionError("'...' must stand alone");
        shape.is_any = true;
        return shape;
    }
    do {
        shape.dimensions.push_back(read_dimension(reader));
    } while (reader.take(","));
    if (!reader.is_at_end())
        reader.fail("','");
    return shape;
}

DimensionExpression parse_dimension(std::string_view text) {
    Reader reader(text);
    DimensionExpression dimension = read_dimension(reader);
    if (dimension.repetition)
        throw ExpressionError("'^' has no meaning here");
    if (!reader.is_at_end())
        reader.fail("the end");
    return dimension;
}

Condition parse_condition(std::string_view text) {
    Reader reader(text);
    Condition condition;
    if (reader.is_at_end())
        return condition;
    do {
        condition.terms.push_back(read_term(reader));
    } while (reader.take("&"));
    if (!reader.is_at_end())
        reader.fail("'&'");
    return condition;
}

}  // namespace ptp::pipeline
