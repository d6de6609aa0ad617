// Lists plugins and components, for people in a terminal and in Markdown; with the sections and the
// table of columns that the listings share.
#pragma once

#include "options.hpp"
#include "plugin/catalog.hpp"
#include "plugin/manifest.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::inspect {

// The text explains shapes of streams, such as [B, n^$dims-2, size].
inline constexpr std::string_view kShapes =
    "[...] is a shape: B the samples of a batch, * any size, a name the same size wherever it is,\n"
    "$NAME the setting, $a|b the setting a if it is written and else b, n^2 two sizes, x[1:] the\n"
    "sizes of x from the second on, ... any shape.";

// A cell of a listing.
struct Cell {
    enum class Kind { kText, kCode, kValue };  // a value is "= 0.5" in a text

    std::string text;
    Kind kind = Kind::kText;
};

// A part of a component's declaration.
struct Section {
    const char* title;                 // "streams"
    std::vector<std::string> columns;  // the titles of the columns
    std::vector<std::vector<Cell>> rows = {};
};

// Returns streams, settings, globals, statistics and requirements; a section may have no rows.
std::vector<Section> sections_of(const plugin::Component& component);

// Returns the libraries that a plugin's file needs, in its order; none if the file can no longer be
// read.
std::vector<std::string> needed_libraries(const std::filesystem::path& plugin);

// Formats rows of cells as aligned columns.
class Table {
public:
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }

    // Returns a line for each row. Columns are two spaces apart; empty columns are omitted.
    [[nodiscard]] std::string text(std::string_view indent) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

// The style of text, which may be emphasized by escape codes.
struct Style {
    bool has_colors = false;

    [[nodiscard]] std::string strong(const std::string& text) const;
    [[nodiscard]] std::string warning(const std::string& text) const;
};

// Returns a line for each component of each plugin, then the rejected files.
std::string overview(const plugin::Catalog& catalog, const Style& style);

// Returns the full description of a component.
std::string component_page(const plugin::Component& component, const plugin::Manifest& plugin,
                           const Style& style);

// Returns the full description of a plugin and its components.
std::string plugin_page(const plugin::CatalogEntry& plugin, const Style& style);

// Lists all components in a table, then each plugin by name, with its components in its own order;
// then the components that were requested separately. Omits where the plugins are and how they were
// built, so that the output is the same on every machine.
std::string markdown_listing(const Selection& selection);

}  // namespace ptp::inspect
