// Parses nearly all lines in a fast way; others, with spaces in the word or an error, in a second
// one.

#include "vector_lines.hpp"

#include <ptp/error.hpp>

#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <vector>

#include <line_ends.hpp>
#include <words.hpp>

namespace ptp::support {

namespace {

std::vector<std::string_view> parts_of(std::string_view line) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t space = line.find(' ');
        parts.push_back(line.substr(0, space));
        if (space == std::string_view::npos) {
            return parts;
        }
        line.remove_prefix(space + 1);
    }
}

// Reads a finite number at the beginning and returns its end, or null if there is none.
const char* read_number(const char* begin, const char* end, float& value) {
    const std::from_chars_result read = std::from_chars(begin, end, value);
    if (read.ec == std::errc()) {
        return std::isfinite(value) ? read.ptr : nullptr;
    }
    double wide = 0;  // a float cannot hold it; numbers near 0 may be rounded
    const std::from_chars_result again = std::from_chars(begin, end, wide);
    value = static_cast<float>(wide);
    return again.ec == std::errc() && std::abs(wide) < 1 ? again.ptr : nullptr;
}

bool is_number(std::string_view text) {
    const char* const end = text.data() + text.size();
    float ignored = 0;
    return !text.empty() && read_number(text.data(), end, ignored) == end;
}

// Returns whether the whole text is a number that is invalid in a vector: "nan", "-inf", "1e400".
bool is_infinite_or_nan(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const std::from_chars_result read = std::from_chars(text.data(), end, value);
    return !text.empty() && read.ptr == end && !is_number(text);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end && number >= 0 ? std::optional(number)
                                                                    : std::nullopt;
}

// Returns how many of the last parts are numbers; the first part is always a word.
std::size_t numbers_at_end(const std::vector<std::string_view>& parts) {
    std::size_t count = 0;
    while (count + 1 < parts.size() && is_number(parts[parts.size() - 1 - count])) {
        ++count;
    }
    return count;
}

std::string shortened(std::string_view text) {
    constexpr std::size_t kMaxBytes = 40;
    if (invalid_utf8_at(text) || text.find('\0') != std::string_view::npos) {
        return "what is there";
    }
    return text.size() <= kMaxBytes ? detail::join("'", text, "'")
                                    : detail::join("a text of ", text.size(), " bytes");
}

std::string other_count(std::size_t count, const VectorFormat& format) {
    return detail::join("has ", count, count == 1 ? " value" : " values", ", must have ",
                        format.size, ", as the ",
                        format.has_header() ? "header says" : "first line has");
}

// Reads a line of a word without spaces and valid values, as nearly all lines are.
bool read_plain(std::string_view line, std::string_view& word, std::span<float> values) {
    const std::size_t space = line.find(' ');
    if (space == 0 || space == std::string_view::npos) {
        return false;
    }
    word = line.substr(0, space);
    const char* at = line.data() + space;
    const char* const end = line.data() + line.size();
    for (float& value : values) {
        if (at == end || *at != ' ') {
            return false;
        }
        at = read_number(at + 1, end, value);
        if (at == nullptr) {
            return false;
        }
    }
    return at == end;
}

// Returns the error in a line that is not plain, or "" if its word has spaces.
std::string read_other(std::string_view line, const VectorFormat& format, std::string_view& word,
                       std::span<float> values) {
    const std::vector<std::string_view> parts = parts_of(line);
    const std::size_t count = parts.size() - 1;  // at least one part is the word's
    if (line.empty()) {
        return "is blank, must have a word and its vector";
    }
    if (count < values.size()) {
        return other_count(count, format);
    }
    const std::size_t first = parts.size() - values.size();
    if (first > 1 && numbers_at_end(parts) > values.size()) {
        return other_count(numbers_at_end(parts), format);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string_view part = parts[first + i];
        if (!is_number(part)) {
            return detail::join("value ", i + 1, " is ", shortened(part),
                                ", must be a finite number");
        }
        read_number(part.data(), part.data() + part.size(), values[i]);
    }
    word = line.substr(0, static_cast<std::size_t>(parts[first].data() - line.data()) - 1);
    return word.empty() ? "begins with a space, must begin with a word" : "";
}

}  // namespace

std::string_view without_line_end(std::string_view line) {
    for (const char end : {'\n', '\r', ' '}) {
        if (line.ends_with(end)) {
            line.remove_suffix(1);
        }
    }
    return line;
}

VectorFormat vector_format(std::string_view first_line) {
    if (has_lone_returns(first_line)) {
        return {.size = 0, .words = -1, .problem = std::string(kLoneReturns)};
    }
    const std::vector<std::string_view> parts = parts_of(first_line);
    if (parts.size() == 2) {
        const auto words = whole_number(parts[0]);
        const auto size = whole_number(parts[1]);
        if (words && size) {
            return {.size = *size,
                    .words = *words,
                    .problem = *size < 1 ? "the header says that vectors have no values" : ""};
        }
    }
    const std::size_t count = numbers_at_end(parts);
    const std::size_t before = parts.size() - 1 - count;  // the part before the numbers
    if (before > 0 && (parts[before].empty() || is_infinite_or_nan(parts[before]))) {
        return {.size = static_cast<std::int64_t>(count),
                .words = -1,
                .problem = parts[before].empty()
                               ? "has two spaces in a row, must have one between values"
                               : detail::join("value ", before, " is ", shortened(parts[before]),
                                              ", must be a finite number")};
    }
    if (count == 0 && first_line.find('\t') != std::string_view::npos) {
        return {.size = 0,
                .words = -1,
                .problem =
                    "has tabs, must have a space between the word and each of its values\n"
                    "fix: write spaces in their place, as tr '\\t' ' ' < FILE > NEW-FILE does"};
    }
    return {.size = static_cast<std::int64_t>(count),
            .words = -1,
            .problem = count == 0 ? "has no values, must have a word and its vector, or the number "
                                    "of words and the size of a vector"
                                  : ""};
}

std::string read_vector(std::string_view line, const VectorFormat& format, std::string_view& word,
                        std::span<float> values) {
    if (!read_plain(line, word, values)) {
        std::string problem = read_other(line, format, word, values);
        if (!problem.empty()) {
            return problem;
        }
    }
    if (invalid_utf8_at(word)) {
        return "the word is not valid UTF-8";
    }
    return word.find('\0') == std::string_view::npos ? "" : "the word has a NUL character";
}

}  // namespace ptp::support
