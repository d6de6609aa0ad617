// Texts of Graphviz's language: strings, and rows of its HTML-like tables.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptp::pipeline {

// For an HTML-like label: a line break becomes an element.
std::string escaped(std::string_view text);

// A quoted string, in which a backslash would begin an escape.
std::string dot_string(std::string_view text);

// A small font; "" for no text, which Graphviz would refuse. `html` is escaped already.
std::string small(std::string_view html, std::string_view color = "#37474f");

// A small box with the name of a stream.
struct Label {
    std::string text;
    std::string_view fill = "#ffffff";
    std::string_view border = "#9aa6b0";
    std::string_view style = "ROUNDED";
};

// Rows of labels, three in each.
std::string label_rows(const std::vector<Label>& labels);

// A row for each message, broken into lines, and cut where it is long.
std::string error_rows(const std::vector<std::string>& errors);

}  // namespace ptp::pipeline
