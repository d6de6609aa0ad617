// Lists plugins and components in Markdown, for docs/components.md.

#include "listing.hpp"

#include "base/text.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace ptp::inspect {

namespace {

// Escapes Markdown's special characters in literal text, outside of `code`.
std::string escaped(std::string_view text, std::string_view special) {
    std::string out;
    bool is_code = false;
    for (const char c : text) {
        is_code = is_code != (c == '`');
        if (c == '|' || !is_code) {
            out += special.find(c) == std::string_view::npos ? "" : "\\";
        }
        out += c;
    }
    return out;
}

// Escapes a cell of a table, where `|` ends the cell even in code.
std::string cell(std::string_view text) {
    return escaped(text, "|*_<\\");
}

// Makes each line a paragraph.
std::string paragraphs(std::string_view text) {
    std::string out;
    for (const char c : escaped(text, "*_<\\")) {
        out += c == '\n' ? "\n\n" : std::string(1, c);
    }
    return out;
}

// Formats code; `|` ends a cell even there.
std::string code(std::string_view text) {
    if (text.empty()) {
        return "";
    }
    std::string out = "`";
    for (const char c : text) {
        out += c == '|' ? "\\|" : std::string(1, c);
    }
    return out + "`";
}

// Returns the anchor of a heading, by GitHub's rule; the names of components consist of letters,
// digits and `_`.
std::string anchor(std::string_view name) {
    std::string out;
    for (const char c : name) {
        out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return out;
}

std::string row(const std::vector<std::string>& cells) {
    return fmt::format("| {} |\n", join(cells, " | "));
}

std::string table(const std::vector<std::string>& titles,
                  const std::vector<std::vector<std::string>>& rows) {
    if (rows.empty()) {
        return "";
    }
    std::string out = "\n" + row(titles) + row(std::vector<std::string>(titles.size(), "---"));
    for (const auto& cells : rows) {
        out += row(cells);
    }
    return out;
}

std::string sections_in_markdown(const plugin::Component& component) {
    std::string out;
    for (const Section& section : sections_of(component)) {
        std::vector<std::vector<std::string>> rows;
        for (const std::vector<Cell>& cells : section.rows) {
            std::vector<std::string>& row = rows.emplace_back();
            for (const Cell& one : cells) {
                row.push_back(one.kind == Cell::Kind::kText ? cell(one.text) : code(one.text));
            }
        }
        out += table(section.columns, rows);
    }
    return out;
}

std::string component_section(const plugin::Component& component, const std::string& plugin) {
    std::string out =
        fmt::format("\n### {}\n\nA {} of the plugin `{}`. {}.\n", component.name,
                    plugin::to_string(component.kind), plugin, paragraphs(component.summary));
    if (!component.description.empty()) {
        out += "\n" + paragraphs(component.description) + "\n";
    }
    return out + sections_in_markdown(component);
}

// Lists components by kind, as in an experiment, and then by name.
std::string contents(const std::vector<const plugin::CatalogEntry*>& plugins) {
    using Line = std::pair<const plugin::Component*, const plugin::Manifest*>;
    std::vector<Line> lines;
    for (const plugin::CatalogEntry* entry : plugins) {
        for (const plugin::Component& component : entry->manifest.components) {
            lines.emplace_back(&component, &entry->manifest);
        }
    }
    std::ranges::sort(lines, {}, [](const Line& line) {
        return std::tie(line.first->kind, line.first->name, line.second->name);
    });
    std::vector<std::vector<std::string>> rows;
    for (const auto& [component, manifest] : lines) {
        rows.push_back({std::string(plugin::to_string(component->kind)),
                        fmt::format("[{}](#{})", component->name, anchor(component->name)),
                        code(manifest->name), cell(component->summary)});
    }
    return table({"kind", "component", "plugin", ""}, rows);
}

}  // namespace

std::string markdown_listing(const Selection& selection) {
    std::vector<const plugin::CatalogEntry*> plugins = selection.plugins;
    std::ranges::sort(plugins, {}, [](const auto* entry) { return entry->manifest.name; });
    std::string out = "# Components\n";
    if (!plugins.empty()) {
        out += "\nWritten by `ptp-inspect --markdown`, from the declarations of the plugins.\n" +
               contents(plugins);
    }
    for (const plugin::CatalogEntry* entry : plugins) {
        out += fmt::format("\n## {} {}\n", entry->manifest.name, entry->manifest.version);
        for (const plugin::Component& component : entry->manifest.components) {
            out += component_section(component, entry->manifest.name);
        }
    }
    for (const plugin::Found& found : selection.components) {
        out += component_section(*found.component, found.plugin->manifest.name);
    }
    return out;
}

}  // namespace ptp::inspect
