// Lists plugins and components for a person, in a terminal.

#include "listing.hpp"

#include "base/text.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

namespace ptp::inspect {

namespace {

constexpr std::string_view kIndent = "    ";

std::string indented(std::string_view text, std::string_view indent) {
    std::string out(indent);
    for (const char c : text) {
        out += c;
        if (c == '\n') {
            out += indent;
        }
    }
    return out;
}

// Returns the sections with rows. A global's access comes before its name.
std::string sections_text(const plugin::Component& component) {
    std::string out;
    for (Section& section : sections_of(component)) {
        Table table;
        for (std::vector<Cell>& row : section.rows) {
            if (section.title == std::string_view("globals")) {
                std::swap(row[0], row[1]);
            }
            std::vector<std::string> texts;
            for (const Cell& cell : row) {
                const bool is_value = cell.kind == Cell::Kind::kValue && !cell.text.empty();
                texts.push_back((is_value ? "= " : "") + cell.text);
            }
            table.add(std::move(texts));
        }
        out += table.empty() ? "" : fmt::format("  {}\n{}", section.title, table.text(kIndent));
        const bool is_streams = section.title == std::string_view("streams");
        out += is_streams && out.find('[') != std::string::npos ? indented(kShapes, kIndent) + "\n"
                                                                : "";
    }
    return out;
}

// Returns the declared facts: "  license MIT, by Jane Doe, https://example.org".
std::string facts(const plugin::Manifest& manifest) {
    std::vector<std::string> parts;
    if (!manifest.license.empty()) {
        parts.push_back("license " + manifest.license);
    }
    if (!manifest.author.empty()) {
        parts.push_back("by " + manifest.author);
    }
    if (!manifest.homepage.empty()) {
        parts.push_back(manifest.homepage);
    }
    return parts.empty() ? "" : fmt::format("  {}\n", join(parts, ", "));
}

std::string plugin_header(const plugin::CatalogEntry& plugin, const Style& style) {
    return fmt::format("{} {}  {}\n", style.strong(plugin.manifest.name), plugin.manifest.version,
                       plugin.path.string());
}

}  // namespace

std::string Style::strong(const std::string& text) const {
    return has_colors ? fmt::format("\x1b[1m{}\x1b[0m", text) : text;
}

std::string Style::warning(const std::string& text) const {
    return has_colors ? fmt::format("\x1b[33m{}\x1b[0m", text) : text;
}

std::string overview(const plugin::Catalog& catalog, const Style& style) {
    std::string out;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        out += plugin_header(entry, style);
        Table table;
        for (const plugin::Component& component : entry.manifest.components) {
            table.add({component.name, std::string(plugin::to_string(component.kind)),
                       component.summary});
        }
        out += table.text("  ") + "\n";
    }
    if (catalog.plugins.empty()) {
        out += fmt::format("no plugins in {}\n\n", catalog.searched.empty()
                                                       ? "any folder: name one with --plugins"
                                                       : "the folders searched:");
        for (const auto& folder : catalog.searched) {
            out.insert(out.size() - 1, fmt::format("  {}\n", folder.string()));
        }
    }
    if (!catalog.rejected.empty()) {
        out += style.warning("not taken") + "\n";
        for (const plugin::RejectedFile& file : catalog.rejected) {
            out += fmt::format("  {}: {}\n", file.path.string(), file.reason);
        }
        out += "\n";
    }
    out.pop_back();
    return out;
}

std::string component_page(const plugin::Component& component, const plugin::Manifest& plugin,
                           const Style& style) {
    std::string out = fmt::format("{}  {} of {} {}\n", style.strong(component.name),
                                  plugin::to_string(component.kind), plugin.name, plugin.version);
    if (!component.summary.empty()) {
        out += fmt::format("  {}\n", component.summary);
    }
    const std::string parts = sections_text(component);
    if (!parts.empty()) {
        out += "\n" + parts;
    }
    if (component.kind == plugin::Kind::kTask) {
        out += "  besides, ptp writes the stream 'indices': the number of each sample\n";
    }
    if (!component.description.empty()) {
        out += "\n" + indented(component.description, "  ") + "\n";
    }
    return out;
}

std::string plugin_page(const plugin::CatalogEntry& plugin, const Style& style) {
    const plugin::Manifest& manifest = plugin.manifest;
    const plugin::Build& build = manifest.build;
    std::string out = plugin_header(plugin, style);
    out += fmt::format("  ABI {}.{}, {}{}, {}\n", manifest.abi_major, manifest.abi_minor,
                       build.libtorch.empty() ? "without libtorch" : "libtorch " + build.libtorch,
                       build.sanitizer == "none" ? "" : ", sanitizer " + build.sanitizer,
                       build.compiler);
    out += facts(manifest);
    if (const auto libraries = needed_libraries(plugin.path); !libraries.empty()) {
        out += fmt::format("  needs {}\n", join(libraries, ", "));
    }
    for (const plugin::Component& component : manifest.components) {
        out += "\n" + component_page(component, manifest, style);
    }
    return out;
}

}  // namespace ptp::inspect
