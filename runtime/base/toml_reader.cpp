// Reads TOML text with the library toml++: refuses text that would exhaust its stack, converts its
// tree to values, and puts its errors into plain words.

#include "base/toml_reader.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "base/toml_library.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

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
        return Value::list(
            transformed(array, [&](const toml::node& node) { return convert(node, level + 1); }));
    }

    Value refuse(const toml::node& node, std::string message) {
        problems_.error(place_of(node.source()), "", std::move(message));
        return {};
    }

    std::shared_ptr<const std::string> file_;
    Diagnostics& problems_;
};

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
                               Diagnostics& problems, ValueChoice choice) {
    constexpr int kMaxRepairs = 100;
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
    std::string repaired;
    toml::parse_result parsed = toml::parse(text, std::string_view(file));
    for (int repairs = 0; !parsed; ++repairs) {
        const toml::source_position where = parsed.error().source().begin;
        const int line = static_cast<int>(where.line);
        auto column = static_cast<int>(where.column);
        const SyntaxError error{text, parsed.error().description(), line};
        auto next = choice == nullptr || repairs == kMaxRepairs ? std::nullopt
                                                                : repaired_syntax(error, column);
        Explanation explanation = explained_syntax(error, column, choice);
        problems.error(SourceLocation(shared_file, line, column), "", std::move(explanation));
        if (!next) {
            return std::nullopt;
        }
        repaired = std::move(*next);
        text = repaired;
        parsed = toml::parse(text, std::string_view(file));
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
