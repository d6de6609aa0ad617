// Recognizes values and comments of other languages, and rewrites them as TOML where that parses.

#include "base/other_syntax.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <algorithm>
#include <utility>

namespace ptp {

namespace {

constexpr std::size_t kMaxLine = 100;  // of a table that is proposed in braces

// Returns the position after the string that begins at `at`; after that byte if it is no string.
std::size_t after_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    if (quote != '"' && quote != '\'') {
        return at + 1;
    }
    for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == quote) {
            return i + 1;
        }
        i += quote == '"' && text[i] == '\\' ? 1 : 0;
    }
    return at + 1;
}

bool begins_comment(std::string_view text, std::size_t at) {
    return text[at] == '#' || text.substr(at).starts_with("//");
}

// Returns the text between two places as one line, without comments.
std::string one_line(std::string_view text, bool has_tuples) {
    std::string line;
    for (std::size_t i = 0; i < text.size();) {
        if (begins_comment(text, i)) {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        const std::size_t next = after_string(text, i);
        const char c = text[i];
        if (next > i + 1) {
            line += text.substr(i, next - i);
        } else {
            line += c == '\n' || c == '\r'   ? ' '
                    : has_tuples && c == '(' ? '['
                    : has_tuples && c == ')' ? ']'
                                             : c;
        }
        i = next;
    }
    return line;
}

// Returns the position after the bracket that closes the one at `at`; npos if none does.
std::size_t after_brackets(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        if (begins_comment(text, at)) {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        const char c = text[at];
        depth += c == '{' || c == '[' || c == '(' ? 1 : 0;
        const bool closes = c == '}' || c == ']' || c == ')';
        if (closes && --depth == 0) {
            return at + 1;
        }
        at = after_string(text, at);
    }
    return text.npos;
}

// Returns the outermost brace that is open at `at`, as far as only braces lie around it; npos if
// none is.
std::size_t open_brace(std::string_view text, std::size_t at) {
    std::size_t found = text.npos;
    std::size_t depth = 0;
    while (at > 0) {
        const char c = text[--at];
        depth += c == '}' || c == ']' ? 1 : 0;
        if (c != '{' && c != '[') {
            continue;
        }
        if (depth > 0) {
            --depth;
        } else if (c == '[') {
            break;
        } else {
            found = at;
        }
    }
    return found;
}

std::size_t begin_of_line(std::string_view text, std::size_t at) {
    const std::size_t end = at == 0 ? text.npos : text.rfind('\n', at - 1);
    return end == text.npos ? 0 : end + 1;
}

// Removes a trailing comma, which Python and JSON5 allow.
std::string without_last_comma(std::string table) {
    const std::size_t brace = table.rfind('}');
    const std::size_t last = brace == 0 ? table.npos : table.find_last_not_of(' ', brace - 1);
    if (last != table.npos && table[last] == ',') {
        table.erase(last, 1);
    }
    return table;
}

// A tuple in a document, or a list with tuples in it.
struct Tuple {
    std::size_t begin = 0;
    std::size_t end = 0;
    Value value = {};
    bool is_list = false;  // or a number in parentheses
};

std::optional<Tuple> tuple_at(std::string_view text, std::size_t at) {
    const std::size_t line = begin_of_line(text, at);
    const std::size_t equals = text.substr(0, at).rfind('=');
    Tuple tuple{.begin = at};
    if (equals != text.npos && equals >= line) {
        const std::size_t first = text.find_first_not_of(' ', equals + 1);
        tuple.begin = text[first] == '[' ? first : tuple.begin;
    }
    tuple.end = after_brackets(text, tuple.begin);
    if (tuple.end == text.npos || text[at] != '(') {
        return std::nullopt;
    }
    const std::string_view written = text.substr(tuple.begin, tuple.end - tuple.begin);
    auto read = read_toml_value(one_line(written, true));
    if (!read || !read->is_list()) {
        return std::nullopt;
    }
    tuple.is_list = written.find(',') != text.npos || read->items().size() != 1;
    tuple.value = tuple.is_list ? std::move(*read) : read->items().front();
    return tuple;
}

std::optional<Explanation> explained_tuple(std::string_view text, std::size_t at) {
    const auto tuple = tuple_at(text, at);
    return tuple ? std::optional(Explanation{"not valid TOML: a list is in [ ], not in ( )",
                                             "write " + inline_toml(tuple->value)})
                 : std::nullopt;
}

// Replaces the parentheses of a tuple, outside of strings and comments.
std::string with_brackets(std::string text, const Tuple& tuple) {
    for (std::size_t i = tuple.begin; i < tuple.end;) {
        if (begins_comment(text, i)) {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        char& c = text[i];
        i = after_string(text, i);
        c = c == '(' ? (tuple.is_list ? '[' : ' ') : c == ')' ? (tuple.is_list ? ']' : ' ') : c;
    }
    return text;
}

std::optional<Explanation> comment(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    constexpr const char* kComment = "not valid TOML: a comment begins with #";
    if (rest.starts_with("//")) {
        return Explanation{kComment, "write # in place of //"};
    }
    if (rest.starts_with("/*")) {
        return Explanation{kComment, "write # before each line of it, without /* and */"};
    }
    if (!rest.starts_with(';')) {
        return std::nullopt;
    }
    const std::size_t line = begin_of_line(text, at);
    return trimmed(text.substr(line, at - line)).empty()
               ? Explanation{kComment, "write # in place of ;"}
               : Explanation{"not valid TOML: a value ends with its line", "remove the ;"};
}

}  // namespace

std::optional<Explanation> table_on_lines(std::string_view text, std::size_t at) {
    const std::size_t begin = open_brace(text, at);
    if (begin == text.npos) {
        return std::nullopt;
    }
    const std::size_t end = after_brackets(text, begin);
    const std::string_view whole = text.substr(begin, end == text.npos ? end : end - begin);
    if (whole.find('\n') == whole.npos) {
        return std::nullopt;
    }
    const auto read = end == text.npos
                          ? std::nullopt
                          : read_toml_value(without_last_comma(one_line(whole, false)));
    const std::size_t line = begin_of_line(text, begin);
    const std::string_view before = trimmed(text.substr(line, begin - line));
    const std::string typed =
        read ? (before.ends_with('=') ? std::string(before) + " " : "") + inline_toml(*read) : "";
    return Explanation{"not valid TOML: a table in braces is on one line",
                       typed.empty() || typed.size() > kMaxLine
                           ? "write it on one line, or its keys below a line [TABLE]"
                           : "write " + typed};
}

std::optional<Explanation> other_syntax(std::string_view text, std::size_t at) {
    return at >= text.size() ? std::nullopt
           : text[at] == '(' ? explained_tuple(text, at)
                             : comment(text, at);
}

std::optional<std::string> as_toml(std::string_view text, std::size_t at) {
    std::string repaired(text);
    const std::string_view rest = text.substr(std::min(at, text.size()));
    if (const auto tuple = rest.starts_with('(') ? tuple_at(text, at) : std::nullopt) {
        return with_brackets(std::move(repaired), *tuple);
    }
    if (rest.starts_with("//")) {
        repaired[at] = '#';
    } else if (rest.starts_with("True") || rest.starts_with("False")) {
        repaired[at] = rest.front() == 'T' ? 't' : 'f';
    } else if (rest.starts_with(';')) {
        const std::size_t line = begin_of_line(text, at);
        repaired[at] = trimmed(text.substr(line, at - line)).empty() ? '#' : ' ';
    } else {
        return std::nullopt;
    }
    return repaired;
}

}  // namespace ptp
