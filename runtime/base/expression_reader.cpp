// Reads names, numbers and signs from the text of an expression; its callers know the grammar.

#include "base/expression_reader.hpp"

#include "base/text.hpp"

#include <fmt/core.h>

#include <cctype>
#include <charconv>

namespace ptp {

namespace {

bool is_part_of_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || is_digit(c);
}

}  // namespace

bool ExpressionReader::begins_name(char c) {
    return is_part_of_name(c) && !is_digit(c);
}

ExpressionReader::ExpressionReader(std::string_view text) : text_(text) {
    if (text.size() > kMaxExpressionLength) {
        throw ExpressionError(
            fmt::format("has {} characters, more than {}", text.size(), kMaxExpressionLength));
    }
}

bool ExpressionReader::is_at_end() {
    skip_blanks();
    return position_ == text_.size();
}

char ExpressionReader::peek() {
    return is_at_end() ? '\0' : text_[position_];
}

bool ExpressionReader::is_at_name() {
    return begins_name(peek());
}

bool ExpressionReader::is_at_number() {
    return is_digit(peek());
}

bool ExpressionReader::take(std::string_view what) {
    skip_blanks();
    if (text_.substr(position_, what.size()) != what) {
        return false;
    }
    position_ += what.size();
    return true;
}

bool ExpressionReader::take_word(std::string_view word) {
    const std::size_t begin = position_;
    if (!take(word)) {
        return false;
    }
    const bool is_longer = position_ < text_.size() && is_part_of_name(text_[position_]);
    if (is_longer) {
        position_ = begin;
    }
    return !is_longer;
}

void ExpressionReader::expect(std::string_view what) {
    if (!take(what)) {
        fail(fmt::format("'{}'", what));
    }
}

std::string ExpressionReader::name(std::string_view what) {
    if (!is_at_name()) {
        fail(what);
    }
    return std::string(taken_while(is_part_of_name));
}

std::int64_t ExpressionReader::number(std::string_view what) {
    if (!is_at_number()) {
        fail(what);
    }
    const std::string_view digits = taken_while(is_digit);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc()) {
        throw ExpressionError(fmt::format("{} is too large", digits));
    }
    return value;
}

double ExpressionReader::real(std::string_view what) {
    if (!is_at_number()) {
        fail(what);
    }
    double value = 0;
    const char* const begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    const std::string_view taken(begin, static_cast<std::size_t>(end - begin));
    if (error != std::errc()) {
        throw ExpressionError(fmt::format("{} is out of range", taken));
    }
    position_ += taken.size();
    return value;
}

std::string ExpressionReader::word() {
    const auto is_part = [](char c) { return c != ' ' && c != '|' && c != '&'; };
    const std::string_view taken = is_at_end() ? "" : taken_while(is_part);
    if (taken.empty()) {
        fail("a value");
    }
    return std::string(taken);
}

std::string ExpressionReader::quoted(std::string_view what) {
    if (peek() != '\'') {
        fail(what);
    }
    ++position_;
    const std::string text(taken_while([](char c) { return c != '\''; }));
    if (position_ == text_.size()) {
        fail("' at the end of a text");
    }
    ++position_;
    return text;
}

void ExpressionReader::fail(std::string_view expected) {
    const std::string found =
        is_at_end() ? "the end" : fmt::format("'{}'", text_.substr(position_));
    throw ExpressionError(fmt::format("expected {} but found {}", expected, found));
}

std::string ExpressionReader::text_since(std::size_t begin) const {
    std::string_view text = text_.substr(begin, position_ - begin);
    while (text.starts_with(' ')) {
        text.remove_prefix(1);
    }
    while (text.ends_with(' ')) {
        text.remove_suffix(1);
    }
    return std::string(text);
}

ExpressionReader::Depth::Depth(ExpressionReader& reader) : reader_(reader) {
    if (++reader.depth_ > kMaxExpressionDepth) {
        --reader.depth_;
        throw ExpressionError(fmt::format("is nested deeper than {}", kMaxExpressionDepth));
    }
}

void ExpressionReader::skip_blanks() {
    while (position_ < text_.size() && text_[position_] == ' ') {
        ++position_;
    }
}

template <typename Predicate>
std::string_view ExpressionReader::taken_while(Predicate is_part) {
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_part(text_[position_])) {
        ++position_;
    }
    return text_.substr(begin, position_ - begin);
}

}  // namespace ptp
