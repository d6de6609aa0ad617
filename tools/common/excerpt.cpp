// Finds the end of a value or key in a line of TOML, and cuts long lines around it.

#include "common/excerpt.hpp"

#include "base/characters.hpp"

#include <algorithm>
#include <vector>

namespace ptp::tools {

namespace {

constexpr std::string_view kLeftOut = "...";

using Characters = std::vector<Character>;

bool is(const Character& character, std::string_view any_of) {
    return character.shown.size() == 1 && any_of.find(character.shown.front()) != any_of.npos;
}

// Returns the position directly after the string that begins at `begin`, or the end of the line.
std::size_t end_of_string(const Characters& line, std::size_t begin) {
    const std::string quote = line[begin].shown;
    for (std::size_t i = begin + 1; i < line.size(); ++i) {
        if (quote == "\"" && is(line[i], "\\")) {
            ++i;
        } else if (line[i].shown == quote) {
            return i + 1;
        }
    }
    return line.size();
}

// Returns the position directly after the bracket that closes the one at `begin`, or the end of the
// line if that bracket is on another line.
std::size_t end_of_brackets(const Characters& line, std::size_t begin) {
    int depth = 0;
    for (std::size_t i = begin; i < line.size(); ++i) {
        if (is(line[i], "\"'")) {
            i = end_of_string(line, i) - 1;
        } else if (is(line[i], "[{")) {
            ++depth;
        } else if (is(line[i], "]}") && --depth == 0) {
            return i + 1;
        } else if (is(line[i], "#")) {
            return i;
        }
    }
    return line.size();
}

// Returns the end of a word. A number contains dots; the parts of a key are separated by dots.
std::size_t end_of_word(const Characters& line, std::size_t begin) {
    const std::string_view ends = is(line[begin], "0123456789+-") ? " ,]}#=" : " ,]}#=.";
    std::size_t end = begin;
    while (end < line.size() && !is(line[end], ends) && !line[end].shown.starts_with(' ')) {
        ++end;
    }
    return end;
}

std::size_t end_of_token(const Characters& line, std::size_t begin) {
    std::size_t end = begin;
    if (begin < line.size()) {
        end = is(line[begin], "\"'")  ? end_of_string(line, begin)
              : is(line[begin], "[{") ? end_of_brackets(line, begin)
                                      : end_of_word(line, begin);
    }
    while (end > begin + 1 && line[end - 1].shown.starts_with(' ')) {
        --end;
    }
    return std::max(end, begin + 1);
}

std::size_t width_of(const Characters& line, std::size_t begin, std::size_t end) {
    std::size_t width = 0;
    for (std::size_t i = begin; i < std::min(end, line.size()); ++i) {
        width += line[i].width;
    }
    return width;
}

struct Window {
    std::size_t begin = 0;
    std::size_t end = 0;
};

// Returns the characters to show: all, or those around `meant`, with a third of the width before
// it.
Window window_of(const Characters& line, std::size_t meant, std::size_t width) {
    if (width_of(line, 0, line.size()) <= width) {
        return {0, line.size()};
    }
    const std::size_t room = width - std::min(width, 2 * kLeftOut.size());
    Window window{std::min(meant, line.size()), std::min(meant, line.size())};
    while (window.begin > 0 && width_of(line, window.begin - 1, window.end) <= room / 3) {
        --window.begin;
    }
    while (window.end < line.size() && width_of(line, window.begin, window.end + 1) <= room) {
        ++window.end;
    }
    while (window.begin > 0 && width_of(line, window.begin - 1, window.end) <= room) {
        --window.begin;
    }
    return window;
}

}  // namespace

Excerpt excerpt_of(std::string_view line, int column, std::size_t width) {
    const Characters all = characters_of(line);
    const auto begin = std::min(static_cast<std::size_t>(std::max(column, 1)) - 1, all.size());
    const Window window = window_of(all, begin, width);
    Excerpt excerpt;
    if (window.begin > 0) {
        excerpt.line += kLeftOut;
    }
    const std::size_t indent = excerpt.line.size() + width_of(all, window.begin, begin);
    for (std::size_t i = window.begin; i < window.end; ++i) {
        excerpt.line += all[i].shown;
    }
    if (window.end < all.size()) {
        excerpt.line += kLeftOut;
    }
    excerpt.line.erase(excerpt.line.find_last_not_of(' ') + 1);
    const std::size_t end = std::min(end_of_token(all, begin), std::max(window.end, begin + 1));
    const std::size_t marked = std::max<std::size_t>(width_of(all, begin, end), 1);
    excerpt.mark = std::string(indent, ' ') + '^' + std::string(marked - 1, '~');
    return excerpt;
}

}  // namespace ptp::tools
