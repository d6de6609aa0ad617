// Reads TOML text with the library toml++: refuses text that would exhaust its stack, converts its
// tree to values, and puts its errors into plain words.

#include "base/toml_reader.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_library.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp {

namespace {

class Converter {
public:
    Converter(std::shared_ptr<const std::string> file, Diagnostics& problems)
        : file_(std::move(file)), problems_(problems) {}

    Value convert(const toml::node& node, int level) {
        Value value = convert_data(node, level);
        value.set_place(place_of(node.source()));
        return value;
    }

private:
    SourceLocation place_of(const toml::source_region& source) const {
        return {file_, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
    }

    Value convert_data(const toml::node& node, int level) {
        if (level > kMaxLevels) {
            return refuse(node, "nested more than 32 levels deep");
        }
        if (const auto* table = node.as_table()) {
            return convert_table(*table, level);
        }
        if (const auto* array = node.as_array()) {
            return convert_array(*array, level);
        }
        if (const auto* text = node.as_string()) {
            return text->get();
        }
        if (const auto* integer = node.as_integer()) {
            return integer->get();
        }
        if (const auto* real = node.as_floating_point()) {
            return real->get();
        }
        if (const auto* boolean = node.as_boolean()) {
            return boolean->get();
        }
        return refuse(node, "dates and times have no use here; put quotes around a string");
    }

    Value convert_table(const toml::table& table, int level) {
        Value result;
        for (const auto& [key, node] : table) {
            result.members().push_back(
                {std::string(key.str()), place_of(key.source()), convert(node, level + 1)});
        }
        std::ranges::sort(result.members(), {}, &Member::key_place);  // in the order of the file
        return result;
    }

    Value convert_array(const toml::array& array, int level) {
        std::vector<Value> items;
        for (const toml::node& node : array) {
            items.push_back(convert(node, level + 1));
        }
        return Value::list(std::move(items));
    }

    Value refuse(const toml::node& node, std::string message) {
        problems_.error(place_of(node.source()), "", std::move(message));
        return {};
    }

    std::shared_ptr<const std::string> file_;
    Diagnostics& problems_;
};

// The position of the comma of "a = 0,001" in its line, and the number that was meant.
struct DecimalComma {
    std::size_t at = 0;
    std::string fix;
};

// Returns the comma of a line with a syntax error at `at`, which is the comma itself or, in an
// inline table, directly after the number; npos if there is none.
std::size_t find_comma(std::string_view line, std::size_t at) {
    at = std::min(at, line.size());
    if (at + 1 < line.size() && line[at] == ',' && is_digit(line[at + 1])) {
        return at;
    }
    std::size_t comma = line.find_last_not_of(' ', at == 0 ? 0 : at - 1);
    while (comma != line.npos && comma > 0 && line[comma] != ',' &&
           (std::isalnum(static_cast<unsigned char>(line[comma])) != 0 || line[comma] == '-')) {
        --comma;
    }
    return comma < line.size() && line[comma] == ',' ? comma : line.npos;
}

// Returns the decimal comma of a line with a syntax error at `at`; nullopt if there is none.
std::optional<DecimalComma> decimal_comma(std::string_view line, std::size_t at) {
    const std::size_t comma = find_comma(line, at);
    if (comma == line.npos) {
        return std::nullopt;
    }
    std::size_t begin = comma;
    while (begin > 0 && is_digit(line[begin - 1])) {
        --begin;
    }
    const std::size_t end = std::min(line.find_first_of(" \t,}#\r", comma + 1), line.size());
    const bool has_digits = begin < comma && comma + 1 < end && is_digit(line[comma + 1]);
    if (begin > 0 && (line[begin - 1] == '-' || line[begin - 1] == '+')) {
        --begin;
    }
    const std::size_t before = line.substr(0, begin).find_last_not_of(" \t");
    if (!has_digits || before == line.npos || line[before] != '=') {
        return std::nullopt;
    }
    return DecimalComma{comma, fmt::format("{}.{}", line.substr(begin, comma - begin),
                                           line.substr(comma + 1, end - comma - 1))};
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
                "the string has no closing quote on its line, or holds a "
                "control character"},
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

// Returns a line without its end; "" if there is no such line.
std::string_view line_of(std::string_view text, toml::source_index number) {
    for (; number > 1; --number) {
        const std::size_t end = text.find('\n');
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return text.substr(0, text.find('\n'));
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
                     "'{}' is a typographic quote: texts are between straight ones, "
                     "\"like this\"",
                     letter)
               : fmt::format("'{}' outside of quotes: a key or a text with it needs them", letter);
}

// Returns what a syntax error is about, and moves `column` to the place of that.
Explanation explained(std::string_view line, std::string_view description, int& column) {
    const std::size_t at = bytes_in(line, static_cast<std::size_t>(column) - 1);
    const bool is_in_string = description.find("string: ") != description.npos;
    if (std::string foreign = is_in_string ? "" : foreign_text(line, at); !foreign.empty()) {
        return {std::move(foreign)};
    }
    if (auto comma = decimal_comma(line, static_cast<std::size_t>(column) - 1)) {
        column = static_cast<int>(comma->at) + 1;
        return {"not valid TOML: a comma is not a decimal point", std::move(comma->fix)};
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
    return {plain, is_word ? fix_of_unquoted(line, static_cast<std::size_t>(column) - 1) : ""};
}

// Returns the position directly after the string that begins with the quote at `begin`.
std::size_t end_of_quoted(std::string_view text, std::size_t begin) {
    const std::string quote(text.substr(begin, 3) == std::string(3, text[begin]) ? 3 : 1,
                            text[begin]);
    const bool is_long = quote.size() == 3;
    std::size_t at = begin + quote.size();
    while (at < text.size() && !text.substr(at).starts_with(quote) &&
           (is_long || text[at] != '\n')) {
        at += quote.front() == '"' && text[at] == '\\' ? 2 : 1;
    }
    at = std::min(at, text.size());
    at += text.substr(at).starts_with(quote) ? quote.size() : 0;
    // A string may itself end in quotes: """"two quotes"""""
    for (int i = 0; is_long && i < 2 && text.substr(at).starts_with(quote.front()); ++i) {
        ++at;
    }
    return at;
}

// Returns the position directly after the first 32 parts of a key that has more; npos if there is
// none. The library recurses over the parts of a key and would overflow the stack.
std::size_t find_long_key(std::string_view text) {
    constexpr int kMaxDots = 31;
    int dots = 0;
    for (std::size_t at = 0; at < text.size() && dots <= kMaxDots;) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            at = end_of_quoted(text, at);
            continue;
        }
        const bool is_key = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                            std::string_view("_-. \t").find(c) != std::string_view::npos;
        dots = is_key ? dots + (c == '.' ? 1 : 0) : 0;
        at = c == '#' ? std::min(text.find('\n', at), text.size()) : at + 1;
        if (dots > kMaxDots) {
            return at;
        }
    }
    return text.npos;
}

// Returns the position of the first byte that is not UTF-8; npos if there is none.
std::size_t find_bad_byte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text.substr(at));
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return text.npos;
}

// Returns the place of a byte, whose column counts characters.
SourceLocation place_at(std::string_view text, std::size_t position,
                        const std::shared_ptr<const std::string>& file) {
    const std::string_view before = text.substr(0, position);
    const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    const auto columns = std::ranges::count_if(
        line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
    return {file, static_cast<int>(std::ranges::count(before, '\n')) + 1,
            static_cast<int>(columns) + 1};
}

}  // namespace

std::optional<Value> read_toml(std::string_view text, const std::string& file,
                               Diagnostics& problems) {
    const auto shared_file = std::make_shared<const std::string>(file);
    if (const std::size_t bad = find_bad_byte(text); bad != text.npos) {
        problems.error(
            place_at(text, bad, shared_file), "",
            fmt::format("not UTF-8 text (byte 0x{:02x})", static_cast<unsigned char>(text[bad])));
        return std::nullopt;
    }
    if (const std::size_t end = find_long_key(text); end != text.npos) {
        problems.error(place_at(text, end, shared_file), "", "a key of more than 32 parts");
        return std::nullopt;
    }
    const toml::parse_result parsed = toml::parse(text, std::string_view(file));
    if (!parsed) {
        const toml::source_position where = parsed.error().source().begin;
        auto column = static_cast<int>(where.column);
        Explanation explanation =
            explained(line_of(text, where.line), parsed.error().description(), column);
        problems.error(SourceLocation(shared_file, static_cast<int>(where.line), column), "",
                       std::move(explanation));
        return std::nullopt;
    }
    const std::size_t errors_before = problems.error_count();
    Value root = Converter(shared_file, problems).convert(parsed.table(), 0);
    root.set_place(SourceLocation(shared_file, 0, 0));
    return problems.error_count() == errors_before ? std::optional(std::move(root)) : std::nullopt;
}

namespace {

constexpr std::string_view kPrefix = "value = ";

// Converts a place in kPrefix and the text to one that counts from `origin`.
SourceLocation moved(const SourceLocation& place, const SourceLocation& origin) {
    if (origin.column() == 0 || place.line() != 1) {
        return origin;
    }
    const int offset = place.column() - 1 - static_cast<int>(kPrefix.size());
    return {origin.file(), origin.line(), origin.column() + offset};
}

void move_places(Value& value, const SourceLocation& origin) {
    value.set_place(moved(value.place(), origin));
    if (value.is_list()) {
        for (Value& item : value.items()) {
            move_places(item, origin);
        }
    }
    if (value.is_table()) {
        for (Member& member : value.members()) {
            member.key_place = moved(member.key_place, origin);
            move_places(member.value, origin);
        }
    }
}

}  // namespace

std::optional<Value> read_toml_value(std::string_view text, const SourceLocation& place) {
    Diagnostics unused;
    std::optional<Value> root = read_toml(fmt::format("{}{}", kPrefix, text), "", unused);
    if (!root || root->members().size() != 1) {
        return std::nullopt;  // "1\nother = 2" is not a value
    }
    Value value = std::move(root->members().front().value);
    move_places(value, place);
    return value;
}

}  // namespace ptp
