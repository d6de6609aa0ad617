#include "pipeline/draw/dot_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::pipeline {

namespace {

constexpr std::size_t kLabelsInRow = 3;    // of a box
constexpr std::size_t kErrorColumns = 46;  // before an error is broken
constexpr std::size_t kErrorLines = 8;     // of an error; what is longer is cut

// At spaces, into lines of `columns` at most where words are not longer.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t max_lines) {
    std::string result;
    std::size_t lines = 1;
    std::size_t width = 0;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find_first_of(" \n", start), text.size());
        const std::string_view word = text.substr(start, end - start);
        const bool is_broken = start > 0 && text[start - 1] == '\n';
        if (width > 0 && (is_broken || width + 1 + word.size() > columns)) {
            if (++lines > max_lines) {
                return result + " ...";
            }
            result += '\n';
            width = 0;
        } else if (width > 0) {
            result += ' ';
            ++width;
        }
        result += word;
        width += word.size();
        start = end + 1;
    }
    return result;
}

}  // namespace

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '&':
                result += "&amp;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\n':
                result += "<BR/>";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string dot_string(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        if (c == '\n') {
            result += "\\n";
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string small(std::string_view text, std::string_view color) {
    if (text.empty()) {  // Graphviz refuses a font without a text
        return "";
    }
    return fmt::format("<FONT POINT-SIZE=\"9\" COLOR=\"{}\">{}</FONT>", color, text);
}

std::string label_rows(const std::vector<Label>& labels) {
    std::string rows;
    for (std::size_t i = 0; i < labels.size(); i += kLabelsInRow) {
        rows += "<TR><TD><TABLE BORDER=\"0\" CELLSPACING=\"3\" CELLPADDING=\"2\"><TR>";
        for (std::size_t j = i; j < std::min(i + kLabelsInRow, labels.size()); ++j) {
            const Label& label = labels[j];
            rows += fmt::format("<TD BORDER=\"1\" STYLE=\"{}\" COLOR=\"{}\" BGCOLOR=\"{}\">{}</TD>",
                                label.style, label.border, label.fill, small(escaped(label.text)));
        }
        rows += "</TR></TABLE></TD></TR>";
    }
    return rows;
}

std::string error_rows(const std::vector<std::string>& errors) {
    std::string rows;
    for (const std::string& error : errors) {
        rows += fmt::format(
            "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">{}</TD></TR>",
            small("error: " + escaped(wrapped(error, kErrorColumns, kErrorLines)), "#b71c1c"));
    }
    return rows;
}

}  // namespace ptp::pipeline
