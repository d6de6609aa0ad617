// Puts the syntax errors of TOML into plain words, and finds out what was probably meant.

#include "base/toml_syntax.hpp"

#include "base/other_syntax.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ptp {

namespace {

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./ ").find(c) != std::string_view::npos;
}

// Returns whether a value at this place of a line is an item of a list, which may begin on a line
// above; otherwise it is that of a key.
bool is_item_at(std::string_view line, std::size_t at) {
    int depth = 0;  // within brackets that are closed before `at`
    for (; at > 0; --at) {
        const char c = line[at - 1];
        if (c == ']' || c == '}') {
            ++depth;
        } else if (depth > 0 && (c == '[' || c == '{')) {
            --depth;
        } else if (depth == 0 && (c == '[' || c == '=')) {
            return c == '[';
        }
    }
    return true;
}

// Returns the table for a call of Python: { type = "Adam", lr = 0.01 } for
// "torch.optim.Adam(lr=0.01)"; "" for other text, and for calls with other arguments.
std::string table_of_call(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')', std::min(open, text.size()));
    if (close == text.npos || text.find('(', open + 1) != text.npos) {
        return "";
    }
    std::string_view name = trimmed(text.substr(0, open));
    name.remove_prefix(name.rfind('.') + 1);
    std::string table = fmt::format("{{ type = \"{}\"", name);
    std::string_view rest = text.substr(open + 1, close - open - 1);
    while (!trimmed(rest).empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::size_t equals = rest.find('=');
        if (equals >= comma) {
            return "";
        }
        table += fmt::format(", {} = {}", trimmed(rest.substr(0, equals)),
                             trimmed(rest.substr(equals + 1, comma - equals - 1)));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return table + " }";
}

// Returns the number that ends at or holds `at` of a line, where a value belongs, if TOML does not
// have its form; "" otherwise.
std::string_view other_number_at(std::string_view line, std::size_t at) {
    const auto is_of_number = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' || c == '-';
    };
    std::size_t begin = std::min(at, line.size());
    while (begin > 0 && is_of_number(line[begin - 1])) {
        --begin;
    }
    const std::string_view before = trimmed(line.substr(0, begin));
    const std::string_view rest = line.substr(begin);
    const std::string_view token(rest.begin(), std::ranges::find_if_not(rest, is_of_number));
    const bool is_value =
        !before.empty() && std::string_view("=,[").find(before.back()) != std::string_view::npos;
    const std::string number = is_value ? number_meant(token) : "";
    return number.empty() || number == token ? std::string_view() : token;
}

// Returns what to write for the words at `at` of a line, where a value belongs: a boolean of Python
// or YAML, or the words in quotes; "" for anything else.
std::string fix_of_unquoted(std::string_view line, std::size_t at) {
    at = std::min(at, line.size());
    while (at > 0 && line[at - 1] != ' ' && is_of_word(line[at - 1])) {
        --at;
    }
    const std::string_view words = trimmed(line.substr(at, line.find_first_of(",]}#\r", at) - at));
    if (const std::string table = table_of_call(line.substr(at)); !table.empty()) {
        return "write " + table;
    }
    if (words.empty() || !std::ranges::all_of(words, is_of_word) ||
        std::isalpha(static_cast<unsigned char>(words.front())) == 0) {
        return "";
    }
    const std::string small = folded(words);
    return small == "true" || small == "yes"   ? "write true"
           : small == "false" || small == "no" ? "write false"
           : small == "none" || small == "null"
               ? fmt::format("leave the {} out", is_item_at(line, at) ? "item" : "key")
               : fmt::format("write \"{}\"", words);
}

struct Translation {
    std::string_view part;  // what the library's description contains
    std::string_view plain;
};

constexpr std::array kTranslations = {
    Translation{"could not determine value type", "not a TOML value; a string needs quotes"},
    Translation{"expected 'nan'", "not a TOML value; a string needs quotes"},
    Translation{"expected 'inf'", "not a TOML value; a string needs quotes"},
    Translation{"expected 'true'",
                "not a TOML value; a string needs quotes, booleans are true and false"},
    Translation{"expected 'false'",
                "not a TOML value; a string needs quotes, booleans are true and false"},
    Translation{"control characters other than TAB",
                "the string has no closing quote on its line, or holds a control character"},
    Translation{"dangling comma", "a comma before the closing '}'; remove it"},
    Translation{"could not be interpreted as a value", "the number is too large for a real"},
    Translation{"is not representable in 64 bits", "the number is too large for an integer"},
    Translation{"tables with blank bare keys", "a table needs a name between its brackets"},
    Translation{"expected bare key starting character", "a key is expected here"},
    Translation{"exceeded maximum nested value depth", "nested more than 32 levels deep"},
    Translation{"expected a comment or whitespace", "only a comment may follow on this line"},
};

std::string with_article(std::string_view noun) {
    const bool starts_with_vowel = std::string_view("aeiou").find(noun.front()) != noun.npos;
    return fmt::format("{} {}", starts_with_vowel ? "an" : "a", noun);
}

std::string plain_syntax_error(std::string_view description) {
    for (const Translation& translation : kTranslations) {
        if (description.find(translation.part) != std::string_view::npos) {
            return fmt::format("not valid TOML: {}", translation.plain);
        }
    }
    constexpr std::string_view kPrefix = "Error while parsing ";
    if (description.starts_with(kPrefix)) {
        description.remove_prefix(kPrefix.size());
    }
    const std::size_t colon = description.find(": ");
    if (colon == std::string_view::npos) {
        return fmt::format("not valid TOML: {}", description);
    }
    const std::string_view where = description.substr(0, colon);
    const std::string_view what = description.substr(colon + 2);
    if (where == "root table") {
        return fmt::format("not valid TOML: {}", what);
    }
    if (what == "encountered end-of-file") {
        return fmt::format("not valid TOML: the text ends within {}", with_article(where));
    }
    constexpr std::string_view kRedefined = "cannot redefine existing ";
    if (what.starts_with(kRedefined)) {
        const std::string_view first = what.substr(kRedefined.size());  // "integer 'a' as table"
        const std::size_t quote = first.find('\'');
        if (quote == first.npos) {  // the last part of a dotted key
            return "not valid TOML: the key before the dot was already given above, with a value";
        }
        const std::string_view name = first.substr(quote, first.find('\'', quote + 1) - quote + 1);
        return fmt::format("not valid TOML: {} was already given above", name);
    }
    return fmt::format("not valid TOML: in {}: {}", with_article(where), what);
}

// Returns the position at which a line begins; that of the end if there is no such line.
std::size_t line_begin(std::string_view text, int number) {
    std::size_t begin = 0;
    for (; number > 1; --number) {
        begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
    }
    return begin;
}

// Returns the number of the bytes of the first characters of a line.
std::size_t bytes_in(std::string_view line, std::size_t characters) {
    std::size_t bytes = 0;
    for (; characters > 0 && bytes < line.size(); --characters) {
        bytes += utf8_length(line.substr(bytes));
    }
    return bytes;
}

// Returns why a letter that is not ASCII cannot be where the library has not expected it; "" for
// other letters. TOML allows them only in strings and comments.
std::string foreign_text(std::string_view line, std::size_t at) {
    const std::string_view letter =
        line.substr(at, at < line.size() ? utf8_length(line.substr(at)) : 0);
    if (letter.size() < 2) {
        return "";
    }
    constexpr std::array<std::string_view, 5> kTypographic = {"\u201c", "\u201d", "\u201e",
                                                              "\u2018", "\u2019"};
    return std::ranges::find(kTypographic, letter) != kTypographic.end()
               ? fmt::format(
                     "'{}' is a typographic quote: texts are between straight ones, \"like this\"",
                     letter)
               : fmt::format("'{}' outside of quotes: a key or a text with it needs them", letter);
}

// Returns the whole key before the "=" of a line: "training.optimizer.lr" in braces below
// [training].
std::string key_before(std::string_view above, std::string_view line, std::size_t equals) {
    std::vector<std::string> names;
    const std::size_t header = above.starts_with('[') ? 0 : above.rfind("\n[") + 1;
    if (above.substr(header).starts_with('[')) {
        names.emplace_back(trimmed(above.substr(header + 1, above.find(']', header) - header - 1)));
    }
    std::size_t begin = 0;
    for (std::size_t i = 0; i < equals; ++i) {
        if (line[i] == '{') {
            names.emplace_back(trimmed(line.substr(begin, line.rfind('=', i) - begin)));
        } else if (line[i] == '}') {
            names.pop_back();
        }
        begin = line[i] == '{' || line[i] == ',' ? i + 1 : begin;
    }
    names.emplace_back(trimmed(line.substr(begin, equals - begin)));
    return join(names, ".");
}

// Returns the text after the "=" of a line as far as it may be one value.
std::string_view value_after(std::string_view line, std::size_t equals) {
    const std::string_view rest = line.substr(equals + 1);
    const std::size_t other = rest.find('=');
    const std::size_t end = other != rest.npos ? rest.rfind(',', other) : rest.find('}');
    const bool is_in_braces = line.substr(0, equals).find('{') != line.npos;
    const std::size_t comment = rest.find('#', rest.rfind('"') + 1);  // npos + 1 is 0
    return trimmed(rest.substr(0, is_in_braces ? end : comment));
}

// Explains a value with commas, as in a = 0,001 or a = b, c; nullopt if that is not the error.
std::optional<Explanation> comma_error(const SyntaxError& error, std::string_view line, int& column,
                                       ValueChoice choice) {
    const std::size_t equals = line.rfind('=', static_cast<std::size_t>(column) - 1);
    if (equals == line.npos) {
        return std::nullopt;
    }
    const std::string_view value = value_after(line, equals);
    std::vector<std::string> meanings = meanings_of_commas(value);
    if (meanings.empty() || value.find_first_of("[]{}()") != value.npos) {
        return std::nullopt;
    }
    const std::string_view above = error.text.substr(0, line_begin(error.text, error.line));
    const std::string key = key_before(above, line, equals);
    if (choice != nullptr) {
        choice(key, meanings);
    }
    if (key.ends_with('s')) {  // as `hidden_sizes` has
        std::ranges::stable_partition(meanings, [](const auto& one) { return one[0] == '['; });
    }
    column = static_cast<int>(line.find(',', equals)) + 1;
    return Explanation{is_digit(value.back()) && value.find('"') == value.npos
                           ? "not valid TOML: a comma is not a decimal point"
                           : "not valid TOML: the items of a list are in [ ]",
                       meanings.empty() ? "" : "write " + join(meanings, ", or ")};
}

bool is_in_string(const SyntaxError& error) {
    return error.description.find("string: ") != error.description.npos;
}

// Explains a backslash in double quotes, as in "C:\data"; nullopt if that is not the error.
std::optional<Explanation> backslash_error(std::string_view description, std::string_view line,
                                           std::size_t at) {
    const std::size_t begin = line.rfind('"', std::min(at, line.size()));
    const std::size_t end = line.find('"', std::min(at, line.size()));
    if ((description.find("escape sequence") == description.npos &&
         description.find("unicode scalar sequence") == description.npos) ||
        begin == line.npos || end == line.npos || line.find("\"\"\"") != line.npos) {
        return std::nullopt;
    }
    const std::string_view text = line.substr(begin + 1, end - begin - 1);
    return Explanation{"not valid TOML: a backslash in double quotes begins a special character",
                       text.find('\'') == text.npos ? fmt::format("write '{}'", text) : ""};
}

// Returns what to write for a mark that is missing, or for what is there twice; "" for another
// error. `plain` describes it.
std::string fix_of_mark(std::string_view plain, std::string_view line, std::size_t at) {
    const std::string_view whole = trimmed(line);
    const std::string_view rest = trimmed(line.substr(std::min(at, line.size())));
    const std::string_view word(rest.begin(), std::ranges::find_if_not(rest, [](char c) {
                                    return is_of_word(c) && c != ' ';
                                }));
    if (plain.ends_with("was already given above")) {
        return whole.starts_with('[')
                   ? "write all keys below one of the two, or give one another name where names are free, as of components"
                   : "remove one of the two";
    }
    if (plain.find("expected comma or closing") != plain.npos && !word.empty()) {
        return fmt::format("write a comma before {}", word);
    }
    if (plain.find("in a table header: expected ']'") != plain.npos && rest.empty()) {
        return fmt::format("write {}{}", whole,
                           whole.starts_with("[[") && !whole.ends_with(']') ? "]]" : "]");
    }
    if (plain.find("in a key-value pair: expected '='") != plain.npos && !word.empty() &&
        whole.find('=') == whole.npos) {
        return fmt::format("write {} = {}", trimmed(whole.substr(0, whole.size() - rest.size())),
                           rest);
    }
    const std::size_t quote = line.rfind('"');
    const std::string_view open = quote == line.npos ? "" : trimmed(line.substr(quote + 1));
    const bool is_open = plain.find("no closing quote") != plain.npos && !open.empty() &&
                         std::ranges::all_of(open, is_of_word);
    return is_open ? fmt::format("write \"{}\"", open) : "";
}

// Returns what a syntax error is about, and moves `column` to the place of that.
Explanation explained(const SyntaxError& error, std::string_view line, int& column,
                      ValueChoice choice) {
    const std::string_view description = error.description;
    const std::size_t at = bytes_in(line, static_cast<std::size_t>(column) - 1);
    const bool is_quoted = is_in_string(error);
    const std::size_t place = line_begin(error.text, error.line) + at;
    const bool is_in_braces = description.find("inline table: expected key") != description.npos;
    if (auto table = is_in_braces ? table_on_lines(error.text, place) : std::nullopt) {
        return std::move(*table);
    }
    if (auto backslash = backslash_error(description, line, at)) {
        return std::move(*backslash);
    }
    if (auto other = is_quoted ? std::nullopt : other_syntax(error.text, place)) {
        return std::move(*other);
    }
    if (std::string foreign = is_quoted ? "" : foreign_text(line, at); !foreign.empty()) {
        return {std::move(foreign)};
    }
    if (auto comma = is_quoted ? std::nullopt : comma_error(error, line, column, choice)) {
        return std::move(*comma);
    }
    if (const std::string_view number = other_number_at(line, at); !number.empty()) {
        return {fmt::format("not valid TOML: '{}' is not a number here", number),
                "write " + number_meant(number)};
    }
    const std::string plain = plain_syntax_error(description);
    const bool is_word = plain.find("not a TOML value") != std::string::npos;
    if (plain.ends_with("expected '=', saw ':'")) {
        return {"not valid TOML: a key is followed by '=', not by ':'", "write = in place of :"};
    }
    if (plain.ends_with("in a key-value pair: expected '=', saw ','")) {
        return {"not valid TOML: each value in a table has a key, as { key = value }"};
    }
    return {plain, is_word ? fix_of_unquoted(line, static_cast<std::size_t>(column) - 1)
                           : fix_of_mark(plain, line, at)};
}

}  // namespace

Explanation explained_syntax(const SyntaxError& error, int& column, ValueChoice choice) {
    const std::string_view line = error.text.substr(line_begin(error.text, error.line));
    return explained(error, line.substr(0, line.find('\n')), column, choice);
}

std::optional<std::string> repaired_syntax(const SyntaxError& error, int column) {
    const std::size_t begin = line_begin(error.text, error.line);
    const std::string_view line = error.text.substr(begin);
    const std::size_t at = bytes_in(line.substr(0, line.find('\n')),
                                    static_cast<std::size_t>(std::max(column, 1)) - 1);
    return is_in_string(error) ? std::nullopt : as_toml(error.text, begin + at);
}

}  // namespace ptp
