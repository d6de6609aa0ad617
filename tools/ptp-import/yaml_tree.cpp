// Reads YAML with its places; plain scalars follow YAML 1.1, as PyYAML's safe loader has it.

#include "conversions.hpp"

#include "base/text.hpp"
#include "base/toml_reader.hpp"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <sstream>
#include <system_error>
#include <utility>

namespace ptp::importer {

namespace {

constexpr std::size_t kMaxValues = 100000;  // after resolving aliases
constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";
constexpr const char* kMergeKey = "<<";

// Thrown to stop reading a file.
struct Refusal {
    SourceLocation place;
    std::string message;
};

class Reader {
public:
    Reader(const std::string& file, Nulls& nulls, Report& report)
        : file_(std::make_shared<const std::string>(file)), nulls_(nulls), report_(report) {}

    // Throws Refusal.
    Value value(const YAML::Node& node, int level) {
        const SourceLocation place = place_of(node.Mark());
        if (level > kMaxLevels) {
            throw Refusal{place, "is nested too deep, or is an alias within its own anchor"};
        }
        if (++count_ > kMaxValues) {
            throw Refusal{
                place, fmt::format("more than {} values, once aliases are resolved", kMaxValues)};
        }
        check_tag(node, place);
        switch (node.Type()) {
            case YAML::NodeType::Map:
                return map(node, level).at(place);
            case YAML::NodeType::Sequence:
                return list(node, level).at(place);
            case YAML::NodeType::Scalar:
                return scalar(node, place).at(place);
            default:
                nulls_.insert(place);
                return Value().at(place);
        }
    }

    [[nodiscard]] SourceLocation place_of(const YAML::Mark& mark) const {
        return mark.is_null() ? SourceLocation(file_, 0, 0)
                              : SourceLocation(file_, mark.line + 1, mark.column + 1);
    }

private:
    Value scalar(const YAML::Node& node, const SourceLocation& place) {
        const bool is_plain = node.Tag() == "?" || node.Tag().empty();
        if (is_plain && is_null_scalar(node.Scalar())) {
            nulls_.insert(place);
            return {};
        }
        const bool is_text = node.Tag() == "!" || node.Tag().ends_with(":str");
        return is_text ? Value(node.Scalar()) : plain_scalar(node.Scalar());
    }

    Value list(const YAML::Node& node, int level) {
        std::vector<Value> items;
        for (const YAML::Node& item : node) {
            items.push_back(value(item, level + 1));
            if (is_null(items.back(), nulls_)) {
                throw Refusal{items.back().place(), "null in a list has no counterpart"};
            }
        }
        return Value::list(std::move(items));
    }

    Value map(const YAML::Node& node, int level) {
        Value table;
        for (const auto& entry : node) {
            if (!entry.first.IsScalar()) {
                throw Refusal{place_of(entry.first.Mark()), "a key must be a scalar"};
            }
            const std::string& key = entry.first.Scalar();
            if (key == kMergeKey) {
                continue;
            }
            const SourceLocation place = place_of(entry.first.Mark());
            if (const Value* earlier = table.find(key)) {
                report_.problems.warning(
                    place, key,
                    fmt::format("is written twice in one map, also at {}; this one counts, as in "
                                "PyTorchPipe",
                                earlier->place().text()));
            }
            table.set(key, value(entry.second, level + 1), place);
        }
        add_merged(node, level, table);
        return table;
    }

    // Adds merged members. The map's own members take precedence, then those of the first of
    // several.
    void add_merged(const YAML::Node& node, int level, Value& table) {
        for (const auto& entry : node) {
            if (entry.first.Scalar() != kMergeKey) {
                continue;
            }
            const Value merged = value(entry.second, level + 1);
            const std::vector<Value> tables =
                merged.is_list() ? merged.items() : std::vector<Value>{merged};
            for (const Value& other : tables) {
                add_missing(other, place_of(entry.first.Mark()), table);
            }
        }
    }

    static void add_missing(const Value& other, const SourceLocation& place, Value& table) {
        if (!other.is_table()) {
            throw Refusal{place, "<< takes a map, or a list of maps"};
        }
        for (const Member& member : other.members()) {
            if (table.find(member.key) == nullptr) {
                table.set(member.key, member.value, member.key_place);
            }
        }
    }

    static void check_tag(const YAML::Node& node, const SourceLocation& place) {
        constexpr std::array<std::string_view, 7> kKnown = {"str",  "int", "float", "bool",
                                                            "null", "map", "seq"};
        const std::string& tag = node.Tag();
        if (tag.empty() || tag == "?" || tag == "!") {
            return;
        }
        for (const std::string_view known : kKnown) {
            if (tag.starts_with(kStandardTag) && tag.substr(kStandardTag.size()) == known) {
                return;
            }
        }
        throw Refusal{place, fmt::format("the tag {} is not one of YAML's safe types", tag)};
    }

    std::shared_ptr<const std::string> file_;
    Nulls& nulls_;
    Report& report_;
    std::size_t count_ = 0;
};

constexpr std::array<std::string_view, 9> kTrue = {"yes",  "Yes", "YES", "true", "True",
                                                   "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 9> kFalse = {"no",    "No",  "NO",  "false", "False",
                                                    "FALSE", "off", "Off", "OFF"};

constexpr int kHexadecimal = 16;
constexpr int kOctal = 8;

bool is_among(std::string_view text, const std::array<std::string_view, 9>& words) {
    return !text.empty() && std::ranges::find(words, text) != words.end();
}

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

// Parses the digits after the sign and the prefix, without '_'.
std::optional<std::int64_t> integer_with_base(std::string digits, bool is_negative, int base) {
    std::erase(digits, '_');
    digits.insert(0, is_negative ? "-" : "");
    std::int64_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number, base);
    const bool is_number = read.ec == std::errc() && read.ptr == end;
    return is_number ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (text.empty() || !is_decimal(text.front())) {
        return std::nullopt;
    }
    if (text.starts_with("0x") || text.starts_with("0b")) {
        const int base = text[1] == 'x' ? kHexadecimal : 2;
        return integer_with_base(std::string(text.substr(2)), is_negative, base);
    }
    const bool is_octal = text.size() > 1 && text.front() == '0';
    return integer_with_base(std::string(text), is_negative, is_octal ? kOctal : 10);
}

std::optional<double> special_real(std::string_view text) {
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (text == ".inf" || text == ".Inf" || text == ".INF") {
        const double infinity = std::numeric_limits<double>::infinity();
        return is_negative ? -infinity : infinity;
    }
    const bool is_nan = text == ".nan" || text == ".NaN" || text == ".NAN";
    return is_nan ? std::optional(std::numeric_limits<double>::quiet_NaN()) : std::nullopt;
}

std::optional<double> real_of(std::string text) {
    const auto is_part = [](char c) {
        return is_decimal(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' ||
               c == '_';
    };
    const bool has_mark = text.find_first_of(".eE") != std::string::npos;
    if (!has_mark || !std::ranges::all_of(text, is_part) ||
        !std::ranges::any_of(text, is_decimal)) {
        return special_real(text);
    }
    std::erase(text, '_');
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* const end = text.data() + text.size();
    double number = 0;
    const auto read = std::from_chars(begin, end, number);
    const bool is_number = read.ec == std::errc() && read.ptr == end;
    return is_number ? std::optional(number) : std::nullopt;
}

// Returns the place of the first tab that indents a line, which YAML does not allow; nullopt: there
// is none.
std::optional<SourceLocation> place_of_tab(const std::string& text, const std::string& file) {
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::size_t at = line.find_first_not_of(' ');
        if (at != std::string::npos && line[at] == '\t') {
            return SourceLocation(file, number, static_cast<int>(at) + 1);
        }
    }
    return std::nullopt;
}

void report_parse_error(const std::string& text, const SourceLocation& place,
                        const std::string& message, Report& report) {
    if (const auto tab = place_of_tab(text, place.file())) {
        report.problems.error(
            *tab, "",
            Explanation{"is not YAML: a tab indents the line, where YAML takes blanks alone",
                        fmt::format("replace these tabs by blanks, as `expand --initial --tabs=4 "
                                    "{}` prints it",
                                    shell_word(place.file()))});
        return;
    }
    report.problems.error(place, "", "is not YAML: " + message);
}

}  // namespace

bool is_null(const Value& value, const Nulls& nulls) {
    return value.is_table() && value.members().empty() && nulls.contains(value.place());
}

std::optional<Value> read_yaml(const std::string& text, const std::string& file, Nulls& nulls,
                               Report& report) {
    if (!is_utf8(text)) {
        report.problems.error(SourceLocation(file, 0, 0), "", "is not UTF-8");
        return std::nullopt;
    }
    Reader reader(file, nulls, report);
    try {
        const std::vector<YAML::Node> documents = YAML::LoadAll(text);
        if (documents.size() != 1) {
            throw Refusal{SourceLocation(file, 0, 0),
                          documents.empty() ? "is empty: it has no key"
                                            : "has several documents: an experiment is one"};
        }
        Value root = reader.value(documents.front(), 0);
        if (!root.is_table() || is_null(root, nulls)) {
            throw Refusal{SourceLocation(file, 0, 0), "is not a map of keys"};
        }
        return root;
    } catch (const YAML::Exception& error) {
        report_parse_error(text, reader.place_of(error.mark), error.msg, report);
    } catch (const Refusal& refusal) {
        report.problems.error(refusal.place, "", refusal.message);
    }
    return std::nullopt;
}

bool is_null_scalar(std::string_view text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

Value plain_scalar(const std::string& text) {
    if (is_among(text, kTrue)) {
        return true;
    }
    if (is_among(text, kFalse)) {
        return false;
    }
    if (const auto integer = integer_of(text)) {
        return *integer;
    }
    if (const auto real = real_of(text)) {
        return *real;
    }
    return text;
}

}  // namespace ptp::importer
