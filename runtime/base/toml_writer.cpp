// Writes tables with headers down to a depth, and below it inline.

#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cctype>

namespace ptp {

namespace {

constexpr std::size_t kMaxInlineLength = 80;

std::string toml_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        switch (c) {
            case '"':
                result += "\\\"";
                break;
            case '\\':
                result += "\\\\";
                break;
            case '\n':
                result += "\\n";
                break;
            case '\r':
                result += "\\r";
                break;
            case '\t':
                result += "\\t";
                break;
            default:
                if (byte < 0x20 || byte == 0x7f) {
                    result += fmt::format("\\u{:04X}", byte);
                } else {
                    result += c;
                }
        }
    }
    return result + '"';
}

std::string real_text(double value) {
    std::string text = fmt::format("{}", value);
    const bool looks_real = text.find_first_of(".en") != std::string::npos;  // 1.5, 1e9, inf, nan
    return looks_real ? text : text + ".0";
}

std::string inline_list(const Value& list) {
    std::string result;
    for (const Value& item : list.items()) {
        result += (result.empty() ? "" : ", ") + inline_toml(item);
    }
    return "[" + result + "]";
}

std::string inline_table(const Value& table) {
    if (table.members().empty()) {
        return "{}";
    }
    std::string result;
    for (const Member& member : table.members()) {
        result += result.empty() ? " " : ", ";
        result += toml_key(member.key) + " = " + inline_toml(member.value);
    }
    return "{" + result + " }";
}

bool is_list_of_tables(const Value& value) {
    return value.is_list() && !value.items().empty() &&
           std::ranges::all_of(value.items(), &Value::is_table);
}

// Returns whether a value has its own header rather than a line `key = value`.
bool has_header(const Value& value, std::size_t depth) {
    if (is_list_of_tables(value)) {
        return true;
    }
    if (!value.is_table()) {
        return false;
    }
    const bool is_flat = std::ranges::none_of(value.members(), [](const Member& member) {
        return member.value.is_table() || is_list_of_tables(member.value);
    });
    return depth < 3 || !is_flat || inline_toml(value).size() > kMaxInlineLength;
}

// Returns whether a table needs its own header: the header of a table that contains only tables
// with headers is implied.
bool needs_header(const Value& table, std::size_t depth) {
    return table.members().empty() ||
           std::ranges::any_of(table.members(), [&](const Member& member) {
               return !has_header(member.value, depth + 1);
           });
}

void write_table(const Value& table, const std::string& path, std::size_t depth, std::string& out);

// Writes a table, or each table of a list, with its header.
void write_with_header(const Value& value, const std::string& path, std::size_t depth,
                       std::string& out) {
    if (value.is_table()) {
        if (needs_header(value, depth)) {
            out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", path);
        }
        write_table(value, path, depth, out);
        return;
    }
    for (const Value& item : value.items()) {
        out += fmt::format("{}[[{}]]\n", out.empty() ? "" : "\n", path);
        write_table(item, path, depth, out);
    }
}

// Writes the members of a table. `path` is empty for the document itself; `depth` is the number of
// keys in it.
void write_table(const Value& table, const std::string& path, std::size_t depth, std::string& out) {
    for (const Member& member : table.members()) {
        if (!has_header(member.value, depth + 1)) {
            out += toml_key(member.key) + " = " + inline_toml(member.value) + "\n";
        }
    }
    for (const Member& member : table.members()) {
        if (has_header(member.value, depth + 1)) {
            const std::string below = path + (path.empty() ? "" : ".") + toml_key(member.key);
            write_with_header(member.value, below, depth + 1, out);
        }
    }
}

}  // namespace

std::string toml_key(std::string_view key) {
    const bool is_bare = !key.empty() && std::ranges::all_of(key, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    });
    return is_bare ? std::string(key) : toml_string(key);
}

std::string inline_toml(const Value& value) {
    switch (value.type()) {
        case ValueType::kBool:
            return value.as_bool() ? "true" : "false";
        case ValueType::kInteger:
            return fmt::format("{}", value.as_integer());
        case ValueType::kReal:
            return real_text(value.as_real());
        case ValueType::kString:
            return toml_string(value.as_string());
        case ValueType::kList:
            return inline_list(value);
        case ValueType::kTable:
            return inline_table(value);
    }
    return "";
}

std::string short_text(const Value& value, std::size_t most) {
    std::string text = inline_toml(value);
    if (text.size() <= most) {
        return text;
    }
    std::size_t cut = most;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
        --cut;
    }
    return text.substr(0, cut) + "...";
}

std::string to_toml(const Value& table) {
    assert(table.is_table());
    std::string out;
    write_table(table, "", 0, out);
    return out;
}

}  // namespace ptp
