#include "base/toml_reader.hpp"

#include "base/digit.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/toml_guard.hpp"
#include "base/toml_library.hpp"

#include <fmt/core.h>

#include <algorithm>
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

// Returns a line without its end; "" if there is no such line.
std::string_view line_of(std::string_view text, toml::source_index number) {
    for (; number > 1; --number) {
        const std::size_t end = text.find('\n');
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    return text.substr(0, text.find('\n'));
}

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./ ").find(c) != std::string_view::npos;
}

// Returns what to write for the words at `at`, where a value belongs: a boolean of Python or YAML,
// or the words in quotes.
std::string fix_of_words(std::string_view line, std::size_t at) {
    at = std::min(at, line.size());
    while (at > 0 && line[at - 1] != ' ' && is_of_word(line[at - 1])) {
        --at;
    }
    const std::string_view words = trimmed(line.substr(at, line.find_first_of(",]}#\r", at) - at));
    if (words.empty() || !std::ranges::all_of(words, is_of_word) ||
        std::isalpha(static_cast<unsigned char>(words.front())) == 0) {
        return "";
    }
    const std::string small = folded(words);
    return small == "true" || small == "yes"    ? "write true"
           : small == "false" || small == "no"  ? "write false"
           : small == "none" || small == "null" ? "leave the key out"
                                                : fmt::format("write \"{}\"", words);
}

// Reports a syntax error.
void report(std::string_view text, const toml::parse_error& error,
            const std::shared_ptr<const std::string>& file, Diagnostics& problems) {
    const toml::source_position where = error.source().begin;
    const auto comma = decimal_comma(line_of(text, where.line), where.column - 1);
    const int column = comma ? static_cast<int>(comma->at) + 1 : static_cast<int>(where.column);
    const SourceLocation place(file, static_cast<int>(where.line), column);
    if (comma) {
        return problems.error(
            place, "", Explanation{"not valid TOML: a comma is not a decimal point", comma->fix});
    }
    const std::string plain = plain_syntax_error(error.description());
    const bool is_word = plain.find("not a TOML value") != std::string::npos;
    problems.error(
        place, "",
        Explanation{plain,
                    is_word ? fix_of_words(line_of(text, where.line), where.column - 1) : ""});
}

}  // namespace

std::optional<Value> read_toml(std::string_view text, const std::string& file,
                               Diagnostics& problems) {
    const auto shared_file = std::make_shared<const std::string>(file);
    if (const auto flaw = find_flaw(text)) {
        problems.error(SourceLocation(shared_file, flaw->line, flaw->column), "", flaw->message);
        return std::nullopt;
    }
    const toml::parse_result parsed = toml::parse(text, std::string_view(file));
    if (!parsed) {
        report(text, parsed.error(), shared_file, problems);
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
